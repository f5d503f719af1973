import type { ControlDraft, ControlProgress, Presence, RelayState, Repairs, WarningCode } from '@heliograph/client';
import type { Snapshot } from '@heliograph/wire';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Session, SignerStatus } from '../worker/protocol.ts';
import type { PageEvent } from '../worker/session-told.ts';
import type { ControlEntry } from './control-entry.ts';
import type { SeenMarks } from './seen.ts';
import { type SessionRef, sameSession } from './session-ref.ts';
import { toldApart } from './told-apart.ts';
import { ToldSessions } from './told-sessions.ts';
import { UsageBook } from './usage-book.ts';

/** One agent as the screen knows it. */
export interface AgentRecord {
  readonly publicKey: string;
  /** What its owner calls it, else what it calls itself. */
  readonly given: string;
  /** That, told from others of the same name: what it is called on the screen. */
  readonly name: string;
  readonly revoked: boolean;
  readonly presence: Presence | undefined;
  /** What is missing of what it said. */
  readonly repairs: Repairs;
  /** What the harness said of itself when it was last asked. */
  readonly snapshot: Snapshot | undefined;
  /** Its sessions; grows in place, what it hands out never changes. */
  readonly told: ToldSessions;
  /** What its turns used; grows in place like `told`. */
  readonly usage: UsageBook;
  /** Counts changes of `told` and `usage`, so that selectors look again. */
  readonly version: number;
}

export interface Warning {
  readonly id: number;
  readonly agent: string | undefined;
  readonly code: WarningCode | 'worker';
  readonly message: string;
}

export interface RelayRecord {
  readonly url: string;
  readonly state: RelayState | undefined;
}

export interface DesktopState {
  readonly session: Session;
  /** How the signer does that holds the owner's key; undefined where the key is here. */
  readonly signer: SignerStatus | undefined;
  readonly relays: readonly RelayRecord[];
  readonly agents: readonly AgentRecord[];
  readonly strangers: readonly { readonly publicKey: string; readonly frames: number }[];
  readonly warnings: readonly Warning[];
  readonly controls: readonly ControlEntry[];
  readonly selected: SessionRef | undefined;
  /** The session that was looked at before a reload: while it may still come no other is chosen. */
  readonly wanted: SessionRef | undefined;
  /** What the session view shall bring into view once it shows that session. */
  readonly reveal: Reveal | undefined;
  readonly seen: SeenMarks;
}

/** An item of a session. */
export interface Reveal {
  readonly ref: SessionRef;
  readonly itemId: string;
}

export type DesktopStore = StoreApi<DesktopState>;

const MAX_WARNINGS = 50;
const MAX_CONTROLS = 200;

export function createDesktopStore(): DesktopStore {
  return createStore<DesktopState>(() => ({
    session: { phase: 'opening' },
    signer: undefined,
    relays: [],
    agents: [],
    strangers: [],
    warnings: [],
    controls: [],
    selected: undefined,
    wanted: undefined,
    reveal: undefined,
    seen: { sinceMs: 0, at: {} },
  }));
}

/** Takes over what the worker says of the key: agents and relays it names appear at once. */
export function applySession(state: DesktopState, session: Session): DesktopState {
  if (session.phase !== 'ready') return { ...state, session };
  const named = session.agents.map((known): AgentRecord => {
    const record = findAgent(state, known.publicKey) ?? newAgent(known.publicKey);
    return { ...record, given: known.name, revoked: known.revoked ?? false };
  });
  const others = state.agents.filter((agent) => !named.some((known) => known.publicKey === agent.publicKey));
  const relays = session.relays.map(
    (url) => state.relays.find((relay) => relay.url === url) ?? { url, state: undefined },
  );
  return { ...state, session, agents: toldApart([...named, ...others]), relays };
}

/** One frame's worth of what happened, taken into one new state. */
export function applyEvents(state: DesktopState, events: readonly PageEvent[]): DesktopState {
  let next = state;
  for (const event of events) next = applyEvent(next, event);
  return next.selected === undefined ? selectFirst(next) : next;
}

function applyEvent(state: DesktopState, event: PageEvent): DesktopState {
  switch (event.type) {
    case 'relay': {
      const record = { url: event.url, state: event.state };
      // The session names the relays; the last word of one that was removed comes after it.
      return { ...state, relays: state.relays.map((relay) => (relay.url === event.url ? record : relay)) };
    }
    case 'presence': {
      const next = patchAgent(state, event.presence.agent, (agent) => ({
        ...agent,
        presence: event.presence,
        given: isNamed(state, agent.publicKey) ? agent.given : event.presence.name,
      }));
      return { ...next, agents: toldApart(next.agents) };
    }
    case 'changes':
      return patchAgent(state, event.changes.agent, (agent) => {
        agent.told.take(event.changes);
        return { ...agent, version: agent.version + 1 };
      });
    case 'repairs':
      return patchAgent(state, event.agent, (agent) => ({ ...agent, repairs: event.repairs }));
    case 'snapshot':
      return patchAgent(state, event.agent, (agent) => ({ ...agent, snapshot: event.snapshot }));
    case 'usage':
      return patchAgent(state, event.agent, (agent) => {
        agent.usage.add(event.id, event.report);
        return { ...agent, version: agent.version + 1 };
      });
    case 'control':
      return { ...state, controls: applyProgress(state.controls, event.progress) };
    case 'stranger': {
      const { publicKey, frames } = event;
      const others = state.strangers.filter((stranger) => stranger.publicKey !== publicKey);
      return { ...state, strangers: [...others, { publicKey, frames }] };
    }
    case 'warning':
      return addWarning(state, event.agent, event.code, event.message);
  }
}

export function addWarning(
  state: DesktopState,
  agent: string | undefined,
  code: Warning['code'],
  message: string,
): DesktopState {
  const last = state.warnings.at(-1);
  if (last?.agent === agent && last?.message === message) return state;
  const warning = { id: (last?.id ?? 0) + 1, agent, code, message };
  return { ...state, warnings: [...state.warnings.slice(1 - MAX_WARNINGS), warning] };
}

export function dismissWarning(state: DesktopState, id: number): DesktopState {
  return { ...state, warnings: state.warnings.filter((warning) => warning.id !== id) };
}

/** Remembers a control that is about to be sent. */
export function addControl(
  state: DesktopState,
  control: { readonly id: number; readonly agent: string; readonly draft: ControlDraft; readonly startedAtMs: number },
): DesktopState {
  const entry: ControlEntry = {
    ...control,
    requestId: undefined,
    phase: 'sending',
    status: undefined,
    reason: undefined,
  };
  return { ...state, controls: [...state.controls.slice(1 - MAX_CONTROLS), entry] };
}

/** The worker gave the control its requestId: progress can find it from now on. */
export function nameControl(state: DesktopState, id: number, requestId: string): DesktopState {
  return { ...state, controls: state.controls.map((entry) => (entry.id === id ? { ...entry, requestId } : entry)) };
}

export function dropControl(state: DesktopState, id: number): DesktopState {
  return { ...state, controls: state.controls.filter((entry) => entry.id !== id) };
}

function applyProgress(controls: readonly ControlEntry[], progress: ControlProgress): readonly ControlEntry[] {
  return controls.map((entry) =>
    entry.requestId === progress.requestId
      ? {
          ...entry,
          phase: progress.phase,
          status: progress.result?.status,
          reason: progress.result?.reason ?? progress.reason,
        }
      : entry,
  );
}

export function selectSession(state: DesktopState, ref: SessionRef | undefined): DesktopState {
  return sameSession(state.selected, ref) ? state : { ...state, selected: ref };
}

/** What shall be chosen once it is there; undefined: the first that is. */
export function wantSession(state: DesktopState, wanted: SessionRef | undefined): DesktopState {
  return state.selected === undefined ? selectFirst({ ...state, wanted }) : state;
}

/** Somebody who opens the page wants to see a conversation, not an empty place for one. */
function selectFirst(state: DesktopState): DesktopState {
  const { wanted } = state;
  if (wanted !== undefined) {
    const isHere =
      findAgent(state, wanted.agent)
        ?.told.channels()
        .some((id) => id === wanted.channelId) ?? false;
    return isHere ? { ...state, selected: wanted, wanted: undefined } : state;
  }
  for (const agent of state.agents) {
    const channelId = agent.told.channels().at(-1);
    if (channelId !== undefined && channelId !== null) {
      return { ...state, selected: { agent: agent.publicKey, channelId } };
    }
  }
  return state;
}

export function findAgent(state: DesktopState, publicKey: string | undefined): AgentRecord | undefined {
  return state.agents.find((agent) => agent.publicKey === publicKey);
}

function patchAgent(state: DesktopState, publicKey: string, patch: (agent: AgentRecord) => AgentRecord): DesktopState {
  if (findAgent(state, publicKey) === undefined) {
    return { ...state, agents: [...state.agents, patch(newAgent(publicKey))] };
  }
  return {
    ...state,
    agents: state.agents.map((agent) => (agent.publicKey === publicKey ? patch(agent) : agent)),
  };
}

function newAgent(publicKey: string): AgentRecord {
  return {
    publicKey,
    given: publicKey.slice(0, 8),
    name: publicKey.slice(0, 8),
    revoked: false,
    presence: undefined,
    repairs: { awaited: [], gone: [] },
    snapshot: undefined,
    told: new ToldSessions(),
    usage: new UsageBook(),
    version: 0,
  };
}

/** The owner's own name for an agent goes before the one it gives itself. */
function isNamed(state: DesktopState, publicKey: string): boolean {
  const { session } = state;
  return session.phase === 'ready' && session.agents.some((known) => known.publicKey === publicKey);
}
