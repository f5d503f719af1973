import { formatAge } from '../text/human.ts';
import { toPlainLine } from '../text/visible-text.ts';
import type { AgentRecord, RelayRecord } from './desktop-store.ts';

/** One of the three connections a session hangs on; `words` is a whole sentence. */
export interface Light {
  readonly sign: 'ok' | 'wait' | 'bad';
  readonly words: string;
}

export interface LightsState {
  readonly relay: Light;
  readonly harness: Light;
  readonly agent: Light;
}

/** Relay, harness, agent: three truths that are never mixed into one. */
export function readLights(relays: readonly RelayRecord[], agent: AgentRecord | undefined, nowMs: number): LightsState {
  const relay = readRelays(relays, nowMs);
  if (agent === undefined) {
    const none: Light = { sign: 'wait', words: 'No agent is chosen.' };
    return { relay, harness: none, agent: none };
  }
  if (relay.sign !== 'ok') {
    // What the presence says was true before the relay went: nobody can know whether it still is.
    const away = (what: string): Light => ({ sign: 'wait', words: `${what} is not known: the relay is away.` });
    return { relay, harness: away('Whether the harness answers'), agent: away('Whether the agent runs') };
  }
  return { relay, harness: readHarness(agent, nowMs), agent: readProcess(agent) };
}

const PROCESS_WORDS: Readonly<Record<string, string>> = { running: 'runs', starting: 'starts', exited: 'has ended' };

/** How an agent is, in a few words: of the two lights that are its own the one that is worse. */
export function readAgentState(relays: readonly RelayRecord[], agent: AgentRecord, nowMs: number): Light {
  const { harness, agent: process } = readLights(relays, agent, nowMs);
  const { presence } = agent;
  const on = presence?.host === undefined ? '' : ` on ${toPlainLine(presence.host, 80)}`;
  if (readRelays(relays, nowMs).sign !== 'ok') return { sign: 'wait', words: 'not known: the relay is away' };
  if (harness.sign !== 'ok') {
    if (presence?.harness !== 'silent') return { ...harness, words: `being asked${on}` };
    const { lastHeardMs, refusal } = presence;
    if (refusal !== undefined) return { sign: 'bad', words: `refused by ${refusal.relay}` };
    if (lastHeardMs === undefined)
      return { ...harness, words: isNew(agent) ? 'has not been in touch yet' : 'no answer so far' };
    return { ...harness, words: `no answer${on} for ${formatAge(nowMs - lastHeardMs)}` };
  }
  const words = PROCESS_WORDS[presence?.process ?? 'unknown'] ?? 'answers';
  return { ...process, words: `${words}${on}` };
}

/** A refusal names its mend, which is a command: it must come whole. */
const MAX_REASON_CHARACTERS = 600;
const REFUSAL = /^(?:restricted|auth-required|blocked):\s*/;

/** How the relays are, which every agent has in common. */
export function readRelays(relays: readonly RelayRecord[], nowMs: number): Light {
  const [first] = relays;
  if (first === undefined) {
    return { sign: 'bad', words: 'No relay is set: start the desktop with --relay ws://HOST:7447.' };
  }
  const ready = relays.find((relay) => relay.state?.phase === 'ready');
  if (ready !== undefined) {
    const others = relays.length - 1;
    return { sign: 'ok', words: `Connected to ${ready.url}${others > 0 ? ` and ${others} more` : ''}.` };
  }
  const broken = relays.find(({ state }) => state?.phase === 'waiting' || state?.reason !== undefined) ?? first;
  const { state, url } = broken;
  if (state?.phase !== 'waiting') {
    // What went wrong stays to be read while it is tried again.
    if (state?.reason !== undefined) return { sign: 'bad', words: `${describeLoss(url, state.reason)} Trying again.` };
    return { sign: 'wait', words: `Connecting to ${url}.` };
  }
  const inMs = Math.max(0, (state.retryAtMs ?? nowMs) - nowMs);
  return { sign: 'bad', words: `${describeLoss(url, state.reason)} Next try in ${Math.ceil(inMs / 1_000)} s.` };
}

function describeLoss(url: string, reason: string | undefined): string {
  if (reason === undefined) return `${url} can’t be reached.`;
  const words = toPlainLine(reason.replace(REFUSAL, ''), MAX_REASON_CHARACTERS).replace(/\.$/, '');
  if (REFUSAL.test(reason)) return `${url} refuses your key: ${words}.`;
  // 1006 is the browser's word for a connection that ended without one.
  if (reason === 'closed with code 1006') return `${url} can’t be reached: the connection broke; is the relay running?`;
  return `${url} can’t be reached: ${words}.`;
}

function readHarness(agent: AgentRecord, nowMs: number): Light {
  const { presence } = agent;
  const name = toPlainLine(agent.name, 64);
  if (presence === undefined) return { sign: 'wait', words: `${name} is being asked how it is.` };
  const place =
    presence.host === undefined ? `The harness of ${name}` : `The harness on ${toPlainLine(presence.host, 80)}`;
  if (presence.refusal !== undefined) {
    const { relay, words } = presence.refusal;
    return { sign: 'bad', words: `${relay} refuses ${name}: ${toPlainLine(words, MAX_REASON_CHARACTERS)}.` };
  }
  const heard = describeAge(presence.lastHeardMs, nowMs);
  switch (presence.harness) {
    case 'live':
      return { sign: 'ok', words: `${place} answers${heard}.` };
    case 'waiting':
      return { sign: 'wait', words: `${place} is being asked how things are${heard}.` };
    case 'silent':
      return presence.lastHeardMs === undefined
        ? {
            // One that was only invited has failed at nothing.
            sign: isNew(agent) ? 'wait' : 'bad',
            words: `${name} has not been in touch since this page was opened: its harness does not run, or reaches none of your relays. “heliograph doctor” on its machine says which.`,
          }
        : { sign: 'bad', words: `${place} does not answer${heard}.` };
  }
}

/** Whether nothing was ever heard of an agent here: no session of it is known. */
function isNew({ told }: AgentRecord): boolean {
  return told.channels().length === 0;
}

function describeAge(lastHeardMs: number | undefined, nowMs: number): string {
  if (lastHeardMs === undefined) return '';
  const age = formatAge(nowMs - lastHeardMs);
  return age === 'now' ? '; heard just now' : `; last heard ${age} ago`;
}

function readProcess(agent: AgentRecord): Light {
  const { presence } = agent;
  if (presence?.harness !== 'live') return { sign: 'wait', words: 'Whether the agent runs is not known now.' };
  switch (presence.process) {
    case 'running':
      return { sign: 'ok', words: 'The agent is running.' };
    case 'starting':
      return { sign: 'wait', words: 'The agent is starting.' };
    case 'exited':
      return {
        sign: 'bad',
        words: 'The agent’s process has ended; the next prompt starts it anew if the harness can.',
      };
    default:
      return { sign: 'wait', words: 'The harness has not told of its agent yet.' };
  }
}
