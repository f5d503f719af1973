import { conditionsHold, encodeNpub, err, KIND_OBSERVER, type NostrEvent, ok, parseFrame } from '@heliograph/wire';
import { AUTH_REQUIRED } from '../gate.ts';
import type { Policy } from '../policy.ts';

/**
 * Kind 24200 (WIRE section 1): signed by the very key that authenticated, with the strict tags; telemetry goes to the
 * owner who vouches for this session's agent, control comes from an owner, and a member the operator allowed may do both. What the owner signed for may exclude it.
 */
export const observerFramePolicy: Policy = (event, { admission }) => {
  if (event.kind !== KIND_OBSERVER) return ok(undefined);
  if (admission === undefined) return err(AUTH_REQUIRED);
  if (event.pubkey !== admission.pubkey) {
    const message = `this frame is signed by ${encodeNpub(event.pubkey)}, and the connection authenticated as ${encodeNpub(admission.pubkey)}`;
    return err({ code: 'restricted', message });
  }
  const route = parseFrame(event);
  if (!route.ok) {
    // Ignored rather than refused, so that a later wire can add values: see isFutureFrame.
    return route.error.code === 'unknown-frame'
      ? ok(undefined)
      : err({ code: 'invalid', message: route.error.message });
  }
  if (route.value.frame === 'control') {
    if (admission.role !== 'agent') return ok(undefined);
    return err({ code: 'restricted', message: 'only an owner of this relay sends control frames' });
  }
  if (admission.role === 'member') return ok(undefined);
  if (admission.role !== 'agent' || admission.owner !== route.value.owner) {
    const message = `${encodeNpub(route.value.owner)} has not vouched for this agent on this connection: its owner does so with heliograph attest`;
    return err({ code: 'restricted', message });
  }
  const asked = { kind: KIND_OBSERVER, createdAtSec: admission.authenticatedAtSec };
  if (conditionsHold(admission.conditions, asked)) return ok(undefined);
  const message = `the attestation of this agent (${admission.conditions.text}) does not include kind ${KIND_OBSERVER}`;
  return err({ code: 'restricted', message });
};

/** Whether a frame has a `frame` value this version does not know: answered OK and given to nobody. */
export function isFutureFrame(event: NostrEvent): boolean {
  if (event.kind !== KIND_OBSERVER) return false;
  const route = parseFrame(event);
  return !route.ok && route.error.code === 'unknown-frame';
}
