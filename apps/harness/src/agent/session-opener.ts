import { err, ok, type Result } from '@heliograph/wire';
import type { Emitted } from '../mirror/observer-bus.ts';
import type { Agent, OpenedSession } from './agent.ts';
import type { Channel } from './channels.ts';
import type { StartFailure } from './failure.ts';

/** `kept`: the channel's earlier session, else a new one that says so. */
export type WantedSession =
  | { readonly type: 'kept' }
  | { readonly type: 'new' }
  | { readonly type: 'load'; readonly sessionId: string };

/** Called at once, before the agent's next line is looked at: what it says next belongs to the session. */
export type OnSession = (
  channel: Channel,
  session: OpenedSession,
  request: Promise<Emitted | Error>,
  contextLost?: string,
) => void;

const LOADED_ONCE = 'this agent can open a session again only once: a second time would destroy what it keeps of it';

/** Opens channels' sessions in the agent, one at a time: an agent that repeats history can be told apart from itself only so. */
export class SessionOpener {
  readonly #onSession: OnSession;
  #last: Promise<unknown> = Promise.resolve();

  constructor(onSession: OnSession) {
    this.#onSession = onSession;
  }

  open(agent: Agent, channel: Channel, wanted: WantedSession): Promise<Result<unknown, StartFailure>> {
    const outcome = this.#last.then(() => this.#open(agent, channel, wanted));
    this.#last = outcome;
    return outcome;
  }

  async #open(agent: Agent, channel: Channel, wanted: WantedSession): Promise<Result<unknown, StartFailure>> {
    if (wanted.type === 'load') return this.#load(agent, channel, wanted.sessionId);
    if (wanted.type === 'new') return this.#begin(agent, channel);
    return channel.sessionId === null ? this.#openKept(agent, channel) : ok(undefined);
  }

  async #load(agent: Agent, channel: Channel, sessionId: string): Promise<Result<unknown, StartFailure>> {
    const by = agent.reopening;
    if (by === undefined) return err({ code: 'unsupported', message: 'this agent can not open a session again' });
    return agent.reopenSession(channel, { sessionId }, by, (...opened) => this.#onSession(channel, ...opened));
  }

  async #openKept(agent: Agent, channel: Channel): Promise<Result<unknown, StartFailure>> {
    const { earlier } = channel;
    if (earlier === undefined) return this.#begin(agent, channel);
    const by = agent.reopening;
    if (by === undefined) return this.#begin(agent, channel, 'this agent can not open a session again');
    if (earlier.isLoaded === true && agent.loadsOnce) return this.#begin(agent, channel, LOADED_ONCE);
    // Tried once: an agent that dies of it must not do so for ever.
    channel.earlier = undefined;
    const outcome = await agent.reopenSession(channel, earlier, by, (...opened) => this.#onSession(channel, ...opened));
    if (outcome.ok || agent.hasExited || outcome.error.code !== 'refused') return outcome;
    return this.#begin(agent, channel, outcome.error.message);
  }

  #begin(agent: Agent, channel: Channel, lost?: string): Promise<Result<unknown, StartFailure>> {
    return agent.newSession(channel, (session, request) => this.#onSession(channel, session, request, lost));
  }
}
