import { isHex64 } from '@heliograph/wire';
import { NOTICE_KINDS, type NoticeKind } from './store/notices.ts';

/** When this browser calls its owner. Hours are `HH:MM` of the local day; equal ones mean never quiet. */
export interface NotifySettings {
  /** For agents without a choice of their own. */
  readonly on: readonly NoticeKind[];
  /** Agents with one, by public key; the newest last. */
  readonly agents: Readonly<Record<string, readonly NoticeKind[]>>;
  readonly quietFrom: string;
  readonly quietTo: string;
}

const ENTRY = 'heliograph.notify';
/** What is chosen for agents beyond this is forgotten, the oldest first. */
const MAX_AGENTS = 200;
const HOUR = /^([01]\d|2[0-3]):[0-5]\d$/;

/** What was chosen in this browser; nothing without a choice. */
export function readNotifySettings(): NotifySettings {
  try {
    return parseNotifySettings(JSON.parse(localStorage.getItem(ENTRY) ?? 'null'));
  } catch {
    return parseNotifySettings(null);
  }
}

/** Keeps the choice, and tells who listens. */
export function writeNotifySettings(settings: NotifySettings): void {
  localStorage.setItem(ENTRY, JSON.stringify(settings));
  for (const listener of listeners) listener();
}

const listeners = new Set<() => void>();

/** Calls back after each new choice, until the returned function is called. */
export function onNotifySettings(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const PUSH_ENTRY = 'heliograph.push';

/** Whether this browser is to be called while no page is open. */
export function wantsPush(): boolean {
  return localStorage.getItem(PUSH_ENTRY) === 'on';
}

/** Keeps that. */
export function writeWantsPush(isWanted: boolean): void {
  if (isWanted) localStorage.setItem(PUSH_ENTRY, 'on');
  else localStorage.removeItem(PUSH_ENTRY);
}

/** Settings out of anything: what is none of ours is as without a choice. Pure. */
export function parseNotifySettings(value: unknown): NotifySettings {
  const { on, agents, quietFrom, quietTo } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const own = Object.entries((agents ?? {}) as object).filter(([agent]) => isHex64(agent));
  return {
    on: kindsOf(on),
    agents: Object.fromEntries(own.slice(-MAX_AGENTS).map(([agent, kinds]) => [agent, kindsOf(kinds)])),
    quietFrom: hourOf(quietFrom),
    quietTo: hourOf(quietTo),
  };
}

/** Whether the owner wants to be called for this of this agent. Pure. */
export function wantsNotice(settings: NotifySettings, agent: string, kind: NoticeKind): boolean {
  return kindsFor(settings, agent).includes(kind);
}

/** What the owner is called for of an agent: its own choice, else the common one. Pure. */
export function kindsFor({ on, agents }: NotifySettings, agent: string): readonly NoticeKind[] {
  return (Object.hasOwn(agents, agent) ? agents[agent] : undefined) ?? on;
}

/** The settings with an agent's own choice; `undefined` takes it back, so that the common one holds again. Pure. */
export function withAgentKinds(
  settings: NotifySettings,
  agent: string,
  kinds: readonly NoticeKind[] | undefined,
): NotifySettings {
  const { [agent]: _, ...others } = settings.agents;
  return parseNotifySettings({ ...settings, agents: kinds === undefined ? others : { ...others, [agent]: kinds } });
}

/** Whether a time of day lies in the quiet hours, which may go over midnight. Pure. */
export function isQuiet({ quietFrom, quietTo }: Pick<NotifySettings, 'quietFrom' | 'quietTo'>, at: Date): boolean {
  const time = `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`;
  if (quietFrom <= quietTo) return time >= quietFrom && time < quietTo;
  return time >= quietFrom || time < quietTo;
}

function kindsOf(value: unknown): readonly NoticeKind[] {
  if (!Array.isArray(value)) return [];
  // Earlier versions had one kind for both.
  const given = value.includes('needs') ? [...value, 'permission', 'question'] : value;
  return NOTICE_KINDS.filter((kind) => given.includes(kind));
}

function hourOf(value: unknown): string {
  return typeof value === 'string' && HOUR.test(value) ? value : '22:00';
}
