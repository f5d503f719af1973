import { encodeMessage, type OkPrefix, type RelayMessage } from '@heliograph/wire';
import type { RelayEffect } from './relay-effect.ts';
import type { Session } from './session.ts';

/** One message to one session. */
export function reply(session: Pick<Session, 'connection'>, message: RelayMessage): RelayEffect {
  return { type: 'send', connection: session.connection, text: encodeMessage(message) };
}

/** OK true, with a reason or ''. */
export function accepted(session: Pick<Session, 'connection'>, eventId: string, reason = ''): RelayEffect {
  return reply(session, ['OK', eventId, true, reason]);
}

/** OK false with its machine-readable prefix. */
export function refused(
  session: Pick<Session, 'connection'>,
  eventId: string,
  prefix: OkPrefix,
  message: string,
): RelayEffect {
  const text = encodeMessage(['OK', eventId, false, `${prefix}: ${message}`]);
  return { type: 'send', connection: session.connection, text, refusal: prefix };
}
