import { isHex64 } from '../nostr/bytes.ts';
import type { NostrEvent, VerifiedEvent } from '../nostr/event.ts';
import { MAX_EMIT_BYTES, MAX_PAYLOAD_LENGTH, MIN_PAYLOAD_LENGTH, paddedLength } from '../nostr/nip44.ts';
import type { Signer } from '../nostr/signer.ts';
import { err, ok, type Result } from '../result.ts';
import { onlyTag } from './only-tag.ts';

/** Ephemeral "agent observability" events, NIP-AO. */
export const KIND_OBSERVER = 24_200;

/** How far a frame's created_at may be from the receiver's clock. */
export const MAX_FRAME_SKEW_SEC = 300;

/** Which way a frame goes, between which keys. */
export interface FrameRoute {
  readonly frame: 'telemetry' | 'control';
  readonly agent: string;
  readonly owner: string;
}

/**
 * `not-a-frame`: another kind. `tags`: a missing, double or malformed tag. `direction`: the signer does not fit.
 * `unknown-frame`: a `frame` value of the future, to be ignored. `length`: no NIP-44 v2 content. `decrypt`: not for me, or damaged.
 */
export interface FrameError {
  readonly code: 'not-a-frame' | 'tags' | 'direction' | 'unknown-frame' | 'length' | 'decrypt';
  readonly message: string;
}

/** Checks a frame's tags and direction without decrypting it (SPEC FR). */
export function parseFrame(event: NostrEvent): Result<FrameRoute, FrameError> {
  if (event.kind !== KIND_OBSERVER)
    return err({ code: 'not-a-frame', message: `kind ${event.kind} is no observer frame` });
  const p = onlyTag(event, 'p');
  const agent = onlyTag(event, 'agent');
  const frame = onlyTag(event, 'frame');
  if (p === undefined || agent === undefined || frame === undefined) {
    return err({ code: 'tags', message: 'an observer frame has exactly one p, one agent and one frame tag' });
  }
  if (!isHex64(p) || !isHex64(agent)) {
    return err({ code: 'tags', message: 'the p and agent tags hold 64 lower-case hex digits' });
  }
  if (frame !== 'telemetry' && frame !== 'control') {
    return err({ code: 'unknown-frame', message: `frame "${frame.slice(0, 32)}" is neither telemetry nor control` });
  }
  const owner = frame === 'telemetry' ? p : event.pubkey;
  const fits = frame === 'telemetry' ? event.pubkey === agent : p === agent;
  if (!fits || owner === agent) return err({ code: 'direction', message: `the signer does not fit a ${frame} frame` });
  const length = event.content.length;
  if (length < MIN_PAYLOAD_LENGTH || length > MAX_PAYLOAD_LENGTH) {
    return err({ code: 'length', message: `content of ${length} characters is no NIP-44 v2 payload` });
  }
  return ok({ frame, agent, owner });
}

/** Encrypts an envelope's or a control's text for the other end of `route`. `signer` is the route's sending side. */
export async function sealContent(text: string, route: FrameRoute, signer: Signer): Promise<string> {
  return signer.encrypt(route.frame === 'telemetry' ? route.owner : route.agent, text);
}

/** Signs a frame around content that is already sealed: a repeat re-uses the ciphertext with a new `createdAtSec`. */
export async function signFrame(
  content: string,
  route: FrameRoute,
  createdAtSec: number,
  signer: Signer,
): Promise<VerifiedEvent> {
  const receiver = route.frame === 'telemetry' ? route.owner : route.agent;
  const tags = [
    ['p', receiver],
    ['agent', route.agent],
    ['frame', route.frame],
  ];
  return signer.sign({ kind: KIND_OBSERVER, created_at: createdAtSec, tags, content });
}

/** Encrypts and signs in one go. */
export async function sealFrame(
  text: string,
  route: FrameRoute,
  createdAtSec: number,
  signer: Signer,
): Promise<VerifiedEvent> {
  return signFrame(await sealContent(text, route, signer), route, createdAtSec, signer);
}

/** Checks the tags, then decrypts. Only a verified event gets in: the type says so. */
export async function openFrame(
  event: VerifiedEvent,
  signer: Signer,
): Promise<Result<{ readonly route: FrameRoute; readonly text: string }, FrameError>> {
  const parsed = parseFrame(event);
  if (!parsed.ok) return parsed;
  const text = await signer.decrypt(event.pubkey, event.content);
  if (!text.ok) return err({ code: 'decrypt', message: text.error.message });
  return ok({ route: parsed.value, text: text.value });
}

/** What of a relay's NIP-11 `limitation` bounds a frame, both in bytes or characters. */
export interface SizeLimits {
  readonly max_message_length?: number;
  readonly max_content_length?: number;
}

/** What fits a relay that says nothing: a stock strfry takes events of 64 KiB. */
export const DEFAULT_BUDGET_BYTES = 40_960;
const MIN_BUDGET_BYTES = 8_192;
/** Everything of the relay message but the content: id, key, signature, tags, `["EVENT",…]`. */
const MESSAGE_OVERHEAD = 1_024;

/**
 * The largest plaintext in bytes whose frame every one of these relays takes. `too-small`: a relay allows under 8,192.
 * An empty `limits` entry is a relay without NIP-11; one that does not tell `max_content_length` is taken for a stock one.
 */
export function frameBudget(
  limits: readonly SizeLimits[],
): Result<number, { readonly code: 'too-small'; readonly message: string }> {
  let budget = MAX_EMIT_BYTES;
  for (const limit of limits) {
    const message = positive(limit.max_message_length);
    const content = positive(limit.max_content_length);
    // How long a message may be says nothing of the event in it: a stock strfry tells 128 KiB and takes 64.
    let fits = content === undefined ? DEFAULT_BUDGET_BYTES : MAX_EMIT_BYTES;
    if (message !== undefined) fits = Math.min(fits, plaintextFor(message - MESSAGE_OVERHEAD));
    if (content !== undefined) fits = Math.min(fits, plaintextFor(content));
    budget = Math.min(budget, fits);
  }
  if (budget < MIN_BUDGET_BYTES) {
    return err({
      code: 'too-small',
      message: `a relay takes frames of ${Math.max(budget, 0)} bytes only; at least ${MIN_BUDGET_BYTES} are needed (raise its max_message_length)`,
    });
  }
  return ok(budget);
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}

/** The largest plaintext whose base64 payload is at most `characters` long. */
function plaintextFor(characters: number): number {
  const payloadBytes = Math.floor(characters / 4) * 3;
  let low = 0;
  let high = MAX_EMIT_BYTES;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (67 + paddedLength(middle) <= payloadBytes) low = middle;
    else high = middle - 1;
  }
  return low;
}
