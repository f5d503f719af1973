import { type MessageError, parseClientMessage } from '@heliograph/wire';
import { requestAuth } from './authentication.ts';
import { answerCount } from './counting.ts';
import { endExpiredAdmission } from './gate.ts';
import { offerEvent } from './ingest.ts';
import type { RelayEffect } from './relay-effect.ts';
import type { RelayState } from './relay-state.ts';
import { refused, reply } from './reply.ts';
import type { Session } from './session.ts';
import { dropSubscription, openSubscription, refuseSubscription } from './subscribing.ts';
import { parseSyncMessage, refuseSync, takeSyncMessage } from './syncing.ts';

/** Reads one message and hands it to its stage; what can't be read is answered as precisely as it was understood. */
export function takeMessage(state: RelayState, session: Session, text: string): RelayEffect[] {
  const ended = endExpiredAdmission(state, session);
  return ended.length === 0 ? route(state, session, text) : [...ended, ...route(state, session, text)];
}

function route(state: RelayState, session: Session, text: string): RelayEffect[] {
  const parsed = parseClientMessage(text);
  if (!parsed.ok) {
    const sync = parsed.error.code === 'unknown-type' ? parseSyncMessage(text) : undefined;
    if (sync === undefined) return answerUnreadable(state, session, parsed.error);
    return sync.ok ? takeSyncMessage(state, session, sync.value) : refuseSync(session, sync.error);
  }
  const message = parsed.value;
  switch (message[0]) {
    case 'EVENT':
      return offerEvent(state, session, message[1]);
    case 'REQ': {
      const [, id, ...filters] = message;
      return openSubscription(state, session, id, filters);
    }
    case 'CLOSE':
      dropSubscription(state, session, message[1]);
      return [];
    case 'AUTH':
      return requestAuth(state, session, message[1]);
    case 'COUNT': {
      const [, id, ...filters] = message;
      return answerCount(state, session, id, filters);
    }
  }
}

/** The longest subscription id that is repeated back when it is refused for its length. */
const MAX_ECHOED_LENGTH = 1_024;

function answerUnreadable(state: RelayState, session: Session, error: MessageError): RelayEffect[] {
  const { code, message, eventId, subId } = error;
  if (eventId !== undefined) return [refused(session, eventId, 'invalid', message)];
  if (subId !== undefined && subId.length <= MAX_ECHOED_LENGTH) {
    return refuseSubscription(state, session, subId, code === 'unsupported' ? 'unsupported' : 'invalid', message);
  }
  return [reply(session, ['NOTICE', `${code === 'unsupported' ? 'unsupported' : 'invalid'}: ${message}`])];
}
