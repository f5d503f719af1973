import { encodeNpub, KIND_OBSERVER, type NostrEvent, tagValue, type VerifiedEvent } from '@heliograph/wire';
import { deniedMessage } from './admission.ts';
import { fanOut } from './fan-out.ts';
import { isUnwanted, writerOf } from './gate.ts';
import { share } from './peers.ts';
import { isFutureFrame } from './policies/observer-frame.ts';
import type { RelayEffect, StoreEffect } from './relay-effect.ts';
import { nowSec, type RelayState } from './relay-state.ts';
import { accepted, refused } from './reply.ts';
import type { Session } from './session.ts';
import type { WriteOutcome } from './store/event-store.ts';
import { storableEvent } from './store/storable-event.ts';

/** An EVENT came: who may not write, or writes too fast, costs no signature check. */
export function offerEvent(state: RelayState, session: Session, event: NostrEvent): RelayEffect[] {
  const writer = writerOf(state, session, event.kind);
  if (!writer.ok) return [refused(session, event.id, writer.error.code, writer.error.message)];
  // Whatever else a key sends leaves room for its controls: a cancel must come through.
  const headroom = isControl(event) ? 0 : Math.floor(state.limits.eventBurst / 10);
  const retrySec = state.eventRate.take(writer.value.rateKey, state.nowMs(), headroom);
  if (retrySec > 0) {
    return [refused(session, event.id, 'rate-limited', `too many events from this key; retry in ${retrySec} s`)];
  }
  return [{ type: 'verify', connection: session.connection, purpose: 'publish', event }];
}

/** A verified event: through the policies, then out at once (ephemeral) or to the store first. */
export function publish(state: RelayState, session: Session, event: VerifiedEvent): RelayEffect[] {
  // Asked again: the admission may have ended while the signature was checked.
  const writer = writerOf(state, session, event.kind);
  if (!writer.ok) return [refused(session, event.id, writer.error.code, writer.error.message)];
  if (isUnwanted(state, event)) return [refused(session, event.id, 'blocked', 'the operator of this relay refuses it')];
  const publisher = { admission: writer.value.admission, nowSec: nowSec(state) };
  for (const policy of state.policies) {
    const verdict = policy(event, publisher);
    if (!verdict.ok) return [refused(session, event.id, verdict.error.code, verdict.error.message)];
  }
  const kept = storableEvent(event);
  if (kept !== undefined) return [{ type: 'store', connection: session.connection, event: kept }];
  if (isFutureFrame(event)) return [accepted(session, event.id)];
  const { effects, isHeard } = fanOut(state, event);
  const banned = bannedRecipient(state, event);
  // Others of its owner's may listen: that does not make it reach the agent.
  if (banned !== undefined) return [...effects, ...share(state, event), refused(session, event.id, 'mute', banned)];
  if (isHeard || state.peers === 'heard') return [...effects, ...share(state, event), accepted(session, event.id)];
  if (state.peers === 'cut') return [refused(session, event.id, 'error', OTHERS_UNREACHABLE)];
  return [...share(state, event), refused(session, event.id, 'mute', 'no one is listening for this')];
}

/** Whether somebody listens there can't be said. */
const OTHERS_UNREACHABLE = "no one listens here, and the other relays can't be reached now; try again";

/** Why the agent that a control is for can't be here, where the operator refuses it: `blocked: …` with the mend. */
function bannedRecipient({ access, owners }: RelayState, event: NostrEvent): string | undefined {
  const agent = isControl(event) ? tagValue(event, 'p') : undefined;
  if (agent === undefined || !access.denied.has(agent) || owners.has(agent)) return undefined;
  return `blocked: ${deniedMessage(encodeNpub(agent))}`;
}

function isControl(event: NostrEvent): boolean {
  return event.kind === KIND_OBSERVER && tagValue(event, 'frame') === 'control';
}

/** An event is written, or not: its publisher hears which, and subscribers get it only now that it can't be lost. */
export function settleStored(
  state: RelayState,
  { connection, event }: StoreEffect,
  outcome: WriteOutcome | 'failed',
): RelayEffect[] {
  // The publisher may be gone; an answer to a gone connection is dropped where it is sent.
  const publisher = { connection };
  switch (outcome) {
    case 'stored':
      return [...fanOut(state, event).effects, ...share(state, event), accepted(publisher, event.id)];
    case 'duplicate':
      return [accepted(publisher, event.id, 'duplicate: already have this event')];
    case 'superseded':
      return [accepted(publisher, event.id, 'duplicate: already have a newer version')];
    case 'deleted':
      return [refused(publisher, event.id, 'blocked', 'its author asked for its deletion (NIP-09)')];
    case 'failed':
      return [refused(publisher, event.id, 'error', "the relay's storage failed; its log says why")];
  }
}
