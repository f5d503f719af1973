import { selectNodeCrypto } from '@heliograph/crypto/node';
import fc from 'fast-check';
import {
  finalizeEvent,
  getEventHash,
  type NostrEvent as ToolsEvent,
  serializeEvent as toolsSerialize,
  verifyEvent as toolsVerify,
} from 'nostr-tools/pure';
import { describe, expect, test } from 'vitest';
import { hexEncode } from './bytes.ts';
import { type EventTemplate, eventId, serializeEvent, signEvent, verifyEvent } from './event.ts';

const { crypto } = selectNodeCrypto();
const text = fc.string({ unit: 'binary' });
const secretKeys = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .filter((key) => key.some((byte) => byte > 0) && (key[0] as number) < 255);
const templates: fc.Arbitrary<EventTemplate> = fc.record({
  kind: fc.nat(65_535),
  created_at: fc.maxSafeNat(),
  tags: fc.array(fc.array(text, { minLength: 1 })),
  content: text,
});

function mutable({ kind, created_at, tags, content }: EventTemplate) {
  return { kind, created_at, tags: tags.map((tag) => [...tag]), content };
}

describe('events against nostr-tools', () => {
  test('NO8: ids are the same', () => {
    fc.assert(
      fc.property(templates, secretKeys, (template, secretKey) => {
        const pubkey = hexEncode(crypto.publicKey(secretKey));
        const theirs = { ...mutable(template), pubkey };
        expect(serializeEvent(pubkey, template)).toBe(toolsSerialize(theirs));
        expect(eventId(pubkey, template, crypto)).toBe(getEventHash(theirs));
      }),
    );
  });

  test('NO8: each verifies what the other signed, and our text reads back as the same event', () => {
    fc.assert(
      fc.property(templates, secretKeys, (template, secretKey) => {
        const ours = signEvent(template, secretKey, crypto);
        expect(toolsVerify(JSON.parse(ours.json) as ToolsEvent)).toBe(true);
        const theirs = finalizeEvent(mutable(template), secretKey);
        const verified = verifyEvent(JSON.parse(JSON.stringify(theirs)), crypto);
        expect(verified.ok && verified.value.id).toBe(ours.id);
        expect(JSON.parse(ours.json)).toEqual({ ...JSON.parse(JSON.stringify(theirs)), sig: ours.sig });
      }),
      { numRuns: 30 },
    );
  });
});
