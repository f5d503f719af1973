import { isDayTime, isHex64, isWithinHours, PUSH_REASONS, type PushReason } from '@heliograph/wire';

/** When this browser calls its owner. Hours are `HH:MM` of the local day; equal ones mean never quiet. */
export interface NotifySettings {
  /** For agents without a choice of their own. */
  readonly on: readonly PushReason[];
  /** Agents with one, by public key; the newest last. */
  readonly agents: Readonly<Record<string, readonly PushReason[]>>;
  readonly quietFrom: string;
  readonly quietTo: string;
}

const ENTRY = 'heliograph.notify';
/** What is chosen for agents beyond this is forgotten, the oldest first. */
const MAX_AGENTS = 200;

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
    on: reasonsOf(on),
    agents: Object.fromEntries(own.slice(-MAX_AGENTS).map(([agent, reasons]) => [agent, reasonsOf(reasons)])),
    quietFrom: hourOf(quietFrom),
    quietTo: hourOf(quietTo),
  };
}

/** Whether the owner wants to be called for this of this agent. Pure. */
export function wantsNotice(settings: NotifySettings, agent: string, reason: PushReason): boolean {
  return reasonsFor(settings, agent).includes(reason);
}

/** What the owner is called for of an agent: its own choice, else the common one. Pure. */
export function reasonsFor({ on, agents }: NotifySettings, agent: string): readonly PushReason[] {
  return (Object.hasOwn(agents, agent) ? agents[agent] : undefined) ?? on;
}

/** The settings with an agent's own choice; `undefined` takes it back, so that the common one holds again. Pure. */
export function withAgentReasons(
  settings: NotifySettings,
  agent: string,
  reasons: readonly PushReason[] | undefined,
): NotifySettings {
  const { [agent]: _, ...others } = settings.agents;
  return parseNotifySettings({ ...settings, agents: reasons === undefined ? others : { ...others, [agent]: reasons } });
}

/** Whether a moment lies in the quiet hours by this browser's clock. Pure. */
export function isQuiet({ quietFrom, quietTo }: Pick<NotifySettings, 'quietFrom' | 'quietTo'>, at: Date): boolean {
  const two = (count: number) => String(count).padStart(2, '0');
  return isWithinHours(quietFrom, quietTo, `${two(at.getHours())}:${two(at.getMinutes())}`);
}

function reasonsOf(value: unknown): readonly PushReason[] {
  if (!Array.isArray(value)) return [];
  // Earlier versions had one reason for both.
  const given = value.includes('needs') ? [...value, 'permission', 'question'] : value;
  return PUSH_REASONS.filter((reason) => given.includes(reason));
}

function hourOf(value: unknown): string {
  return isDayTime(value) ? value : '22:00';
}
