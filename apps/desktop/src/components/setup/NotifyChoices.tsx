import { PUSH_REASONS, type PushReason } from '@heliograph/wire';
import { useState } from 'react';
import { noticePlace, showNotice } from '../../installed/show-notice.ts';
import {
  type NotifySettings,
  readNotifySettings,
  reasonsFor,
  withAgentReasons,
  writeNotifySettings,
} from '../../notify-settings.ts';
import { toPlainLine } from '../../text/visible-text.ts';
import { useDesktopState } from '../use-desktop.ts';

const WORDS: Readonly<Record<PushReason, string>> = {
  permission: 'An agent asks for permission',
  question: 'An agent asks me something else',
  ended: 'A turn has ended',
  failed: 'A turn has failed',
  offline: 'An agent’s machine does not answer',
};

/** For what this browser calls its owner while the page is open and somewhere else is looked at: of all agents, or of one. */
export function NotifyChoices() {
  const agents = useDesktopState((state) => state.agents);
  const [settings, setSettings] = useState(readNotifySettings);
  const [permission, setPermission] = useState(() => globalThis.Notification?.permission);
  const [agent, setAgent] = useState('');
  // Over plain http browsers have none; the note below says so.
  if (permission === undefined || !globalThis.isSecureContext) return null;
  const change = (next: NotifySettings) => {
    setSettings(next);
    writeNotifySettings(next);
  };
  const on = agent === '' ? settings.on : reasonsFor(settings, agent);
  const hasOwn = agent !== '' && Object.hasOwn(settings.agents, agent);
  const allow = async () => {
    const given = permission === 'granted' ? permission : await Notification.requestPermission();
    setPermission(given);
    return given === 'granted';
  };
  const toggle = (reason: PushReason, isOn: boolean) => {
    if (isOn) void allow();
    const reasons = PUSH_REASONS.filter((one) => (one === reason ? isOn : on.includes(one)));
    change(agent === '' ? { ...settings, on: reasons } : withAgentReasons(settings, agent, reasons));
  };
  return (
    <fieldset className="stack gap-1.5">
      <legend className="mb-1.5 font-medium">Call me when</legend>
      {agents.length > 1 && (
        <span className="mb-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-s text-ink-2">
          <label className="flex min-w-0 items-center gap-2">
            Of
            <select
              className="picker"
              value={agent}
              data-testid="notify-agent"
              onChange={(event) => setAgent(event.target.value)}
            >
              <option value="">every agent</option>
              {agents
                .filter(({ revoked }) => !revoked)
                .map(({ publicKey, name }) => (
                  <option key={publicKey} value={publicKey}>
                    {toPlainLine(name, 64)}
                    {Object.hasOwn(settings.agents, publicKey) ? ' (its own)' : ''}
                  </option>
                ))}
            </select>
          </label>
          {hasOwn && (
            <button
              type="button"
              className="link"
              data-testid="notify-as-every"
              onClick={() => change(withAgentReasons(settings, agent, undefined))}
            >
              As of every agent again
            </button>
          )}
          {agent !== '' && !hasOwn && <span className="text-ink-3">as of every agent, until you change it here</span>}
        </span>
      )}
      {PUSH_REASONS.map((reason) => (
        <label key={reason} className="check">
          <input
            type="checkbox"
            checked={on.includes(reason)}
            data-testid={`notify-${reason}`}
            onChange={(event) => toggle(reason, event.target.checked)}
          />
          {WORDS[reason]}
        </label>
      ))}
      <span className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-s text-ink-2">
        Quiet from
        <input
          type="time"
          className="picker"
          aria-label="Quiet from"
          value={settings.quietFrom}
          onChange={(event) => change({ ...settings, quietFrom: event.target.value })}
        />
        to
        <input
          type="time"
          className="picker"
          aria-label="Quiet to"
          value={settings.quietTo}
          onChange={(event) => change({ ...settings, quietTo: event.target.value })}
        />
        {settings.quietFrom === settings.quietTo && <span className="text-ink-3">(the same: never)</span>}
      </span>
      <p className="text-s text-ink-3" role="status">
        {permission === 'denied'
          ? 'This browser was told not to show notifications of this page: allow them in its own settings.'
          : 'As long as this page is open and you look elsewhere. Nothing but the session’s name is shown.'}
      </p>
      <TryOne allow={allow} isDenied={permission === 'denied'} />
    </fieldset>
  );
}

/** Shows one, so that nobody learns too late that the system holds them back. */
function TryOne(props: { readonly allow: () => Promise<boolean>; readonly isDenied: boolean }) {
  const [outcome, setOutcome] = useState<'shown' | 'refused' | 'failed'>();
  const show = async () => {
    if (!(await props.allow())) return setOutcome('refused');
    const place = noticePlace(new URL('.', document.baseURI).href);
    const isShown = await showNotice(place, { title: 'Heliograph can call you', tag: 'heliograph-test' }, () =>
      focus(),
    );
    setOutcome(isShown ? 'shown' : 'failed');
  };
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <button
        type="button"
        className="btn"
        disabled={props.isDenied}
        data-testid="notify-test"
        onClick={() => void show()}
      >
        Show one now
      </button>
      {outcome !== undefined && (
        <span className="text-s text-ink-2" role="status" data-testid="notify-outcome">
          {OUTCOMES[outcome]}
        </span>
      )}
    </div>
  );
}

const OUTCOMES = {
  shown: 'The browser showed it. Seen none? Then the system holds it back: look at its own notification settings.',
  refused: 'This browser does not allow it.',
  failed: 'The browser could not show it: load the page again, or on an iPhone install it first.',
};
