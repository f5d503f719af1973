import { useState } from 'react';
import { type NotifySettings, readNotifySettings, writeNotifySettings } from '../../notify-settings.ts';
import { NOTICE_KINDS, type NoticeKind } from '../../store/notices.ts';

const WORDS: Readonly<Record<NoticeKind, string>> = {
  needs: 'An agent waits for my answer',
  ended: 'A turn has ended',
  failed: 'A turn has failed',
  offline: 'An agent’s machine does not answer',
};

/** For what this browser calls its owner while the page is open and somewhere else is looked at. */
export function NotifyChoices() {
  const [settings, setSettings] = useState(readNotifySettings);
  const [permission, setPermission] = useState(() => globalThis.Notification?.permission);
  // Over plain http browsers have none; the note below says so.
  if (permission === undefined || !globalThis.isSecureContext) return null;
  const change = (next: NotifySettings) => {
    setSettings(next);
    writeNotifySettings(next);
  };
  const toggle = async (kind: NoticeKind, isOn: boolean) => {
    if (isOn && permission !== 'granted') setPermission(await Notification.requestPermission());
    change({ ...settings, on: NOTICE_KINDS.filter((one) => (one === kind ? isOn : settings.on.includes(one))) });
  };
  return (
    <fieldset className="stack gap-1.5">
      <legend className="mb-1.5 font-medium">Call me when</legend>
      {NOTICE_KINDS.map((kind) => (
        <label key={kind} className="flex items-center gap-2.5">
          <input
            type="checkbox"
            checked={settings.on.includes(kind)}
            data-testid={`notify-${kind}`}
            onChange={(event) => void toggle(kind, event.target.checked)}
          />
          {WORDS[kind]}
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
      </span>
      <p className="text-s text-ink-3" role="status">
        {permission === 'denied'
          ? 'This browser was told not to show notifications of this page: allow them in its own settings.'
          : 'As long as this page is open and you look elsewhere. Nothing but the session’s name is shown.'}
      </p>
    </fieldset>
  );
}
