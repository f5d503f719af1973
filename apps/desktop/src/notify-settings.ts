import { NOTICE_KINDS, type NoticeKind } from './store/notices.ts';

/** When this browser calls its owner. Hours are `HH:MM` of the local day; equal ones mean never quiet. */
export interface NotifySettings {
  readonly on: readonly NoticeKind[];
  readonly quietFrom: string;
  readonly quietTo: string;
}

const ENTRY = 'heliograph.notify';
const OFF: NotifySettings = { on: [], quietFrom: '22:00', quietTo: '22:00' };
const HOUR = /^([01]\d|2[0-3]):[0-5]\d$/;

/** What was chosen in this browser; nothing without a choice. */
export function readNotifySettings(): NotifySettings {
  try {
    const kept = JSON.parse(localStorage.getItem(ENTRY) ?? 'null') as Partial<NotifySettings> | null;
    const { on, quietFrom, quietTo } = kept ?? {};
    return {
      on: NOTICE_KINDS.filter((kind) => Array.isArray(on) && on.includes(kind)),
      quietFrom: typeof quietFrom === 'string' && HOUR.test(quietFrom) ? quietFrom : OFF.quietFrom,
      quietTo: typeof quietTo === 'string' && HOUR.test(quietTo) ? quietTo : OFF.quietTo,
    };
  } catch {
    return OFF;
  }
}

/** Keeps the choice. */
export function writeNotifySettings(settings: NotifySettings): void {
  localStorage.setItem(ENTRY, JSON.stringify(settings));
}

/** Whether a time of day lies in the quiet hours, which may go over midnight. Pure. */
export function isQuiet({ quietFrom, quietTo }: NotifySettings, at: Date): boolean {
  const time = `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`;
  if (quietFrom <= quietTo) return time >= quietFrom && time < quietTo;
  return time >= quietFrom || time < quietTo;
}
