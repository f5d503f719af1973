import type { Crypto } from '@heliograph/wire';
import { type AccessRules, NO_ACCESS_RULES, NOTHING_OPEN } from './access.ts';
import { settleAnswer } from './answering.ts';
import { authenticate } from './authentication.ts';
import { publish, settleStored } from './ingest.ts';
import { takeMessage } from './intake.ts';
import { changeAccess, configure, forgetSession, openSession, passTime } from './lifecycle.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { Occupancy } from './occupancy.ts';
import { deliverShared, MAX_SHARED_IDS, type Peers, RecentIds, takeShared } from './peers.ts';
import { defaultPolicies, type Policy } from './policy.ts';
import type { RelayEffect } from './relay-effect.ts';
import type { RelayInput, RelayRules } from './relay-input.ts';
import type { RelayState } from './relay-state.ts';
import { refused } from './reply.ts';
import { SubscriptionIndex } from './subscription-index.ts';
import { TokenBuckets } from './token-buckets.ts';

/** What the engine can't make itself. Of the rules, `open` is nothing and `limits` the default unless said. */
export interface RelayEngineOptions
  extends Pick<RelayRules, 'owners' | 'relayUrls'>,
    Partial<Pick<RelayRules, 'open' | 'limits'>> {
  /** For NIP-OA attestations; events are verified by who runs the effects. */
  readonly crypto: Crypto;
  /** Unix milliseconds. */
  readonly nowMs: () => number;
  /** A fresh random text, one per connection. */
  readonly newChallenge: () => string;
  /** At the start; changed by `access` inputs. */
  readonly access?: AccessRules;
  /** Other relays that share our subscribers; none unless said. */
  readonly peers?: Peers;
  /** Instead of `defaultPolicies(limits)`. */
  readonly policies?: readonly Policy[];
}

/** A Nostr relay as a function of what happened: every input gives the effects to run, in order. No I/O, no clock of its own. */
export class RelayEngine {
  readonly #state: RelayState;

  constructor(options: RelayEngineOptions) {
    const { limits = DEFAULT_LIMITS, policies, owners, ...surroundings } = options;
    const policiesFor = policies === undefined ? defaultPolicies : () => policies;
    const { access = NO_ACCESS_RULES, open = NOTHING_OPEN, peers = 'none' } = options;
    this.#state = {
      ...surroundings,
      owners: new Set(owners),
      access,
      open,
      limits,
      policies: policiesFor(limits),
      policiesFor,
      sessions: new Map(),
      occupancy: new Occupancy(),
      subscriptions: new SubscriptionIndex(),
      eventRate: new TokenBuckets(limits.eventsPerSec, limits.eventBurst),
      requestRate: new TokenBuckets(limits.requestsPerSec, limits.requestBurst),
      lastTicket: 0,
      peers,
      sharedIds: new RecentIds(MAX_SHARED_IDS),
    };
  }

  /** How many connections and open subscriptions there are. */
  get counts(): { readonly connections: number; readonly admitted: number; readonly subscriptions: number } {
    let admitted = 0;
    let subscriptions = 0;
    for (const session of this.#state.sessions.values()) {
      if (session.admission !== undefined) admitted += 1;
      subscriptions += session.subscriptions.size;
    }
    return { connections: this.#state.sessions.size, admitted, subscriptions };
  }

  /** Takes one input and gives its effects. Inputs about connections that are gone give none. Never throws. */
  handle(input: RelayInput): readonly RelayEffect[] {
    const state = this.#state;
    switch (input.type) {
      case 'open':
        return openSession(state, input.connection, input.address);
      case 'message': {
        const session = state.sessions.get(input.connection);
        return session === undefined ? [] : takeMessage(state, session, input.text);
      }
      case 'verified':
        return settleVerified(state, input);
      case 'answered':
        return settleAnswer(state, input.request, input.answer);
      case 'stored':
        return settleStored(state, input.request, input.outcome);
      case 'close':
        forgetSession(state, input.connection);
        return [];
      case 'access':
        return changeAccess(state, input.access);
      case 'configure':
        return configure(state, input.rules);
      case 'shared':
        return takeShared(state, input.event, input.storedAtMs);
      case 'peers':
        state.peers = input.peers;
        return [];
      case 'tick':
        return passTime(state);
    }
  }
}

function settleVerified(
  state: RelayState,
  { request, result }: Extract<RelayInput, { type: 'verified' }>,
): readonly RelayEffect[] {
  if (request.purpose === 'shared') {
    if (result.ok) return deliverShared(state, result.value, request.storedAtMs);
    const report = { type: 'shared-refused', message: result.error.message } as const;
    return [{ type: 'report', connection: request.connection, report }];
  }
  const session = state.sessions.get(request.connection);
  if (session === undefined) return [];
  if (!result.ok) return [refused(session, request.event.id, 'invalid', result.error.message)];
  return request.purpose === 'auth'
    ? authenticate(state, session, result.value)
    : publish(state, session, result.value);
}
