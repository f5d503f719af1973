import { useId } from 'react';
import { describeProgress } from '../../store/control-entry.ts';
import { type Setting, selectSettingOrder } from '../../store/session-settings.ts';
import { toPlainLine } from '../../text/visible-text.ts';
import { useDesktop, useDesktopState } from '../use-desktop.ts';

/** One setting of a session. It shows what the agent confirmed; another choice is an order, told until it is confirmed. */
export function SettingPicker(props: {
  readonly setting: Setting;
  readonly agent: string;
  readonly channelId: string;
  readonly isBlocked: boolean;
  /** In a heading the name is only spoken. */
  readonly look: 'heading' | 'row';
}) {
  const { setting, agent, channelId, isBlocked, look } = props;
  const desktop = useDesktop();
  const order = useDesktopState((state) => selectSettingOrder(state.controls, agent, channelId, setting.key));
  const set = (value: string | boolean) => {
    if (value !== setting.value) desktop.control(agent, setting.draft(channelId, value));
  };
  const id = useId();
  const name = toPlainLine(setting.name, 60);
  const isKnown = setting.choices.some(({ id }) => id === setting.value);
  return (
    <span
      className={
        look === 'row' ? 'flex flex-wrap items-center gap-x-3 gap-y-1' : 'inline-flex min-w-0 items-center gap-1.5'
      }
    >
      <span className={look === 'row' ? 'flex min-w-0 flex-1 items-center gap-3' : 'min-w-0'}>
        <label htmlFor={id} className={look === 'row' ? 'min-w-0 flex-1 truncate' : 'sr-only'}>
          {name}
        </label>
        {setting.choices.length === 0 ? (
          <input
            id={id}
            type="checkbox"
            checked={setting.value === true}
            disabled={isBlocked}
            data-testid={`setting-${setting.key}`}
            onChange={(event) => set(event.target.checked)}
          />
        ) : (
          <select
            id={id}
            className={`picker ${look}`}
            value={typeof setting.value === 'string' ? setting.value : ''}
            disabled={isBlocked}
            title={`${name}, as the agent confirmed it`}
            data-testid={`setting-${setting.key}`}
            onChange={(event) => set(event.target.value)}
          >
            {!isKnown && (
              <option value={typeof setting.value === 'string' ? setting.value : ''}>
                {toPlainLine(typeof setting.value === 'string' ? setting.value : 'not told', 60)}
              </option>
            )}
            {setting.choices.map((choice) => (
              <option key={choice.id} value={choice.id}>
                {toPlainLine(choice.name, 60)}
              </option>
            ))}
          </select>
        )}
      </span>
      {order !== undefined && (
        <span
          className={`min-w-0 truncate text-s ${order.phase === 'failed' ? 'text-bad' : 'text-ink-3'}`}
          role="status"
          data-testid={`order-${setting.key}`}
          data-phase={order.phase}
        >
          {order.phase === 'received' ? 'asked the agent' : describeProgress(order)}
        </span>
      )}
    </span>
  );
}
