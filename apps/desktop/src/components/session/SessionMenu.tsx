import { Ellipsis } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { SaveFormat } from '../../export/save-formats.ts';
import type { AgentRecord } from '../../store/desktop-store.ts';
import { type SessionSettings, snapshotChannel } from '../../store/session-settings.ts';
import { toPlainLine } from '../../text/visible-text.ts';
import { useActions } from '../actions/actions.ts';
import { SaveSession } from '../export/SaveSession.tsx';
import { usePopover } from '../parts/use-popover.ts';
import { useDesktop } from '../use-desktop.ts';
import { OpenSession } from './OpenSession.tsx';
import { OrderNote } from './OrderNote.tsx';
import { PolicyPicker } from './PolicyPicker.tsx';
import { SettingPicker } from './SettingPicker.tsx';
import { useAside } from './use-aside.ts';

/** Of what the agent offers, this much is offered by name too. */
const MAX_CHOICES = 100;

/** Everything about a session that is not said to it: its settings, who answers its requests, another session, its end. */
export function SessionMenu(props: {
  readonly agent: AgentRecord;
  readonly channelId: string;
  readonly settings: SessionSettings;
  /** What the header had no room for. */
  readonly facts: ReactNode;
  readonly isBlocked: boolean;
  readonly isRunning: boolean;
}) {
  const { agent, channelId, settings, isBlocked, isRunning } = props;
  const desktop = useDesktop();
  const { isOpen, setOpen, place, button, panelId } = usePopover();
  const [opening, setOpening] = useState<'new' | 'load' | undefined>();
  const [saving, setSaving] = useState<SaveFormat | undefined>();
  const [isSure, setSure] = useState(false);
  const channel = snapshotChannel(agent, channelId);
  const name = toPlainLine(agent.name, 40);
  const restart = () => {
    if (isRunning && !isSure) return setSure(true);
    setSure(false);
    desktop.control(agent.publicKey, { type: 'restart_agent' });
  };
  const begin = (how: 'new' | 'load') => {
    setOpen(false);
    setOpening(how);
  };
  const choices = [settings.model, settings.mode, ...settings.others].flatMap((setting) =>
    setting === undefined || isBlocked
      ? []
      : setting.choices.map(({ id, name: choice }) => ({
          id: `${setting.key}=${id}`,
          label: `Set ${setting.name.toLowerCase()} to ${choice}`,
          group: 'Session' as const,
          run: () => desktop.control(agent.publicKey, setting.draft(channelId, id)),
        })),
  );
  const save = (as: SaveFormat) => {
    setOpen(false);
    setSaving(as);
  };
  const aside = useAside(agent, channelId);
  useActions([
    {
      id: 'save-markdown',
      label: 'Save the session as text (Markdown)',
      group: 'Session',
      run: () => save('markdown'),
    },
    { id: 'save-html', label: 'Save the session as a replay (HTML)', group: 'Session', run: () => save('html') },
    { id: 'save-jsonl', label: 'Save the session as lines (JSONL)', group: 'Session', run: () => save('jsonl') },
    { id: 'new-session', label: 'New session', group: 'Agent', key: 'n', run: () => begin('new') },
    { id: 'load-session', label: 'Open an earlier session', group: 'Agent', run: () => begin('load') },
    ...(aside === undefined ? [] : [{ id: 'aside', group: 'Session' as const, key: 'e', ...aside }]),
    ...choices.slice(0, MAX_CHOICES),
  ]);
  return (
    <div className="relative" {...place}>
      <button
        type="button"
        className="tab"
        aria-label="Session menu"
        title="Session"
        data-testid="session-menu"
        {...button}
      >
        <Ellipsis size={16} strokeWidth={1.6} />
      </button>
      {isOpen && (
        <div
          id={panelId}
          className="popover top-full right-0 mt-1 grid w-80 max-w-[calc(100vw-1.75rem)] gap-3 p-3"
          data-testid="session-panel"
        >
          {props.facts !== false && (
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-s text-ink-2" data-testid="session-facts">
              {props.facts}
            </div>
          )}
          {settings.others.length > 0 && (
            <section className="stack gap-2" aria-label="Settings">
              {settings.others.map((setting) => (
                <SettingPicker
                  key={setting.key}
                  setting={setting}
                  agent={agent.publicKey}
                  channelId={channelId}
                  isBlocked={isBlocked}
                  look="row"
                />
              ))}
            </section>
          )}
          <PolicyPicker agent={agent} channelId={channelId} isBlocked={isBlocked} />
          <section className="stack gap-0.5 border-t border-line pt-2" aria-label="Save">
            <MenuButton testId="save-session" isBlocked={false} onClick={() => save('markdown')}>
              Save the session
            </MenuButton>
          </section>
          <section className="stack gap-0.5 border-t border-line pt-2" aria-label="Session">
            <MenuButton testId="new-session" isBlocked={isBlocked} onClick={() => begin('new')}>
              New session
            </MenuButton>
            <MenuButton testId="load-session" isBlocked={isBlocked} onClick={() => begin('load')}>
              Open an earlier session
            </MenuButton>
            <MenuButton
              testId="close-session"
              isBlocked={isBlocked || isRunning || channel?.closed === true}
              onClick={() => desktop.control(agent.publicKey, { type: 'close_session', channelId })}
            >
              {isRunning ? 'Close this session (cancel the turn first)' : 'Close this session'}
            </MenuButton>
            {aside !== undefined && (
              <MenuButton testId="aside-session" isBlocked={false} onClick={aside.run}>
                {aside.label}
              </MenuButton>
            )}
            <OrderNote agent={agent.publicKey} type="close_session" channelId={channelId} done="closed" />
            <MenuButton testId="restart-agent" isBlocked={agent.presence?.harness !== 'live'} onClick={restart}>
              {isSure ? `Restart ${name} and end its open turn` : `Restart ${name}`}
            </MenuButton>
            <OrderNote agent={agent.publicKey} type="restart_agent" done="it is there again" />
          </section>
        </div>
      )}
      {saving !== undefined && (
        <SaveSession
          agent={agent}
          session={{ agent: agent.publicKey, channelId }}
          format={saving}
          onClose={() => setSaving(undefined)}
        />
      )}
      {opening !== undefined && (
        <OpenSession agent={agent} how={opening} cwd={channel?.cwd} onClose={() => setOpening(undefined)} />
      )}
    </div>
  );
}

function MenuButton(props: {
  readonly testId: string;
  readonly isBlocked: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}) {
  return (
    <button
      type="button"
      className="tab w-full justify-start text-left"
      data-testid={props.testId}
      disabled={props.isBlocked}
      onClick={props.onClick}
    >
      {props.children}
    </button>
  );
}
