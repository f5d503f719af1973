import { nobleCrypto } from '@heliograph/crypto/noble';
import { authTemplate, encodeMessage, verifyEvent } from '@heliograph/wire';
import { expect, it } from 'vitest';
import { RelayEngine } from './engine.ts';
import type { QueryEffect, RelayEffect, VerifyEffect } from './relay-effect.ts';
import type { RelayInput } from './relay-input.ts';
import { storableEvent } from './store/storable-event.ts';
import { owner, RELAY_URL, template } from './testing/scripted-relay.ts';

it('RL11: a relay is its inputs and their effects: challenge, AUTH, REQ, query, EVENT, commit, delivery', () => {
  const engine = new RelayEngine({
    owners: [owner.publicKey],
    relayUrls: [RELAY_URL],
    crypto: nobleCrypto,
    nowMs: () => 1_700_000_000_000,
    newChallenge: () => 'abc',
  });
  const auth = owner.sign(authTemplate({ relayUrl: RELAY_URL, challenge: 'abc', createdAtSec: 1_700_000_000 }));
  const note = owner.sign(template({ content: 'hello' }));
  const kept = storableEvent(note);
  if (kept === undefined) throw new TypeError('kind 1 is durable');
  const verifyAuth: VerifyEffect = { type: 'verify', connection: 1, purpose: 'auth', event: parsed(auth) };
  const verifyNote: VerifyEffect = { type: 'verify', connection: 1, purpose: 'publish', event: parsed(note) };
  const asker = { reader: { pubkey: owner.publicKey, kinds: undefined }, nowSec: 1_700_000_000 };
  const query: QueryEffect = {
    type: 'query',
    connection: 1,
    id: 'all',
    ticket: 1,
    question: { ask: 'events', filters: [{ filter: {}, maxEvents: 500 }], asker, maxBytes: 8 * 1024 * 1024 },
  };
  const send = (text: string): RelayEffect => ({ type: 'send', connection: 1, text });

  const script: [RelayInput, RelayEffect[]][] = [
    [{ type: 'open', connection: 1, address: '192.0.2.1' }, [send('["AUTH","abc"]')]],
    [{ type: 'message', connection: 1, text: encodeMessage(['AUTH', auth]) }, [verifyAuth]],
    [
      { type: 'verified', request: verifyAuth, result: verifyEvent(auth, nobleCrypto) },
      [
        send(`["OK","${auth.id}",true,""]`),
        { type: 'report', connection: 1, report: { type: 'admitted', role: 'owner', pubkey: owner.publicKey } },
      ],
    ],
    [{ type: 'message', connection: 1, text: '["REQ","all",{}]' }, [query]],
    [{ type: 'answered', request: query, answer: { ask: 'events', events: [] } }, [send('["EOSE","all"]')]],
    [{ type: 'answered', request: query, answer: { ask: 'events', events: [] } }, []],
    [{ type: 'message', connection: 1, text: encodeMessage(['EVENT', note]) }, [verifyNote]],
    [
      { type: 'verified', request: verifyNote, result: verifyEvent(note, nobleCrypto) },
      [{ type: 'store', connection: 1, event: kept }],
    ],
    [
      { type: 'stored', request: { type: 'store', connection: 1, event: kept }, outcome: 'stored' },
      [
        { type: 'broadcast', connections: [1], text: `["EVENT","all",${note.json}]` },
        send(`["OK","${note.id}",true,""]`),
      ],
    ],
    [{ type: 'message', connection: 1, text: '["CLOSE","all"]' }, []],
    [{ type: 'close', connection: 1 }, []],
    [{ type: 'message', connection: 1, text: '["REQ","all",{}]' }, []],
    [{ type: 'verified', request: verifyNote, result: verifyEvent(note, nobleCrypto) }, []],
  ];
  for (const [input, effects] of script) expect(engine.handle(input)).toEqual(effects);
});

/** The event as the relay reads it from a message. */
function parsed({ id, pubkey, created_at, kind, tags, content, sig }: ReturnType<typeof owner.sign>) {
  return { id, pubkey, created_at, kind, tags, content, sig };
}
