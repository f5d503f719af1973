import { nobleCrypto } from '@heliograph/crypto/noble';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paddedLength } from '../nostr/nip44.ts';
import { localSigner } from '../nostr/signer.ts';
import { DEFAULT_BUDGET_BYTES, type FrameRoute, frameBudget, openFrame, parseFrame, sealFrame } from './frame.ts';

const owner = localSigner(new Uint8Array(32).fill(1), nobleCrypto);
const agent = localSigner(new Uint8Array(32).fill(2), nobleCrypto);
const other = localSigner(new Uint8Array(32).fill(3), nobleCrypto);
const route = (frame: FrameRoute['frame']): FrameRoute => ({ frame, agent: agent.publicKey, owner: owner.publicKey });

describe('observer frames', () => {
  it('FR1: open for the other end, in both directions, and for nobody else', async () => {
    for (const frame of ['telemetry', 'control'] as const) {
      const [sender, receiver] = frame === 'telemetry' ? [agent, owner] : [owner, agent];
      const event = await sealFrame('{"hello":"world"}', route(frame), 1_800_000_000, sender);
      expect(event).toMatchObject({ kind: 24_200, pubkey: sender.publicKey, created_at: 1_800_000_000 });
      expect(event.tags).toEqual([
        ['p', receiver.publicKey],
        ['agent', agent.publicKey],
        ['frame', frame],
      ]);
      expect(event.content).not.toContain('hello');
      expect(await openFrame(event, receiver)).toEqual({
        ok: true,
        value: { route: route(frame), text: '{"hello":"world"}' },
      });
      expect(await openFrame(event, other)).toMatchObject({ error: { code: 'decrypt' } });
    }
  });

  it('FR2: with a missing, double, malformed or unfitting tag are refused undecrypted', async () => {
    const good = await sealFrame('{}', route('telemetry'), 1, agent);
    const code = (change: object) => {
      const parsed = parseFrame({ ...good, ...change } as typeof good);
      return parsed.ok ? 'ok' : parsed.error.code;
    };
    const tags = good.tags.map((tag) => [...tag]);
    const [p, a, f] = tags as [string[], string[], string[]];
    expect(code({ tags: [...tags, ['extra', 'x']] })).toBe('ok');
    for (let at = 0; at < 3; at++) {
      expect(code({ tags: tags.filter((_, index) => index !== at) })).toBe('tags');
      expect(code({ tags: [...tags, tags[at]] })).toBe('tags');
    }
    expect(code({ tags: [p, ['agent', agent.publicKey.toUpperCase()], f] })).toBe('tags');
    expect(code({ tags: [['p', 'x'], a, f] })).toBe('tags');
    expect(code({ tags: [p, ['agent', other.publicKey], f] })).toBe('direction');
    expect(code({ pubkey: other.publicKey })).toBe('direction');
    expect(code({ tags: [p, a, ['frame', 'control']] })).toBe('direction');
    expect(code({ tags: [['p', agent.publicKey], a, f] })).toBe('direction');
    expect(code({ tags: [p, a, ['frame', 'future']] })).toBe('unknown-frame');
    expect(code({ kind: 1 })).toBe('not-a-frame');
    expect(code({ content: 'A'.repeat(131) })).toBe('length');
    expect(code({ content: 'A'.repeat(87_473) })).toBe('length');
  });

  it('FR3: have the largest budget that every relay in use takes', () => {
    const budget = (...limits: Parameters<typeof frameBudget>[0]) => {
      const result = frameBudget(limits);
      return result.ok ? result.value : result.error.code;
    };
    expect(budget({})).toBe(DEFAULT_BUDGET_BYTES);
    expect(budget({ max_message_length: 65_536 })).toBe(40_960);
    expect(budget({ max_message_length: 131_072 })).toBe(40_960);
    expect(budget({ max_message_length: 131_072, max_content_length: 131_072 })).toBe(65_408);
    expect(budget({ max_message_length: 131_072 }, {})).toBe(40_960);
    expect(budget({ max_message_length: 10_000_000, max_content_length: 65_536 })).toBe(40_960);
    expect(budget({ max_message_length: 8_192 })).toBe('too-small');
    expect(budget({ max_message_length: Number.NaN, max_content_length: -1 })).toBe(DEFAULT_BUDGET_BYTES);
  });

  it('FR4: of the budget fit, and one byte more would not', () => {
    fc.assert(
      fc.property(fc.integer({ min: 20_000, max: 88_000 }), (max_message_length) => {
        const result = frameBudget([{ max_message_length, max_content_length: 100_000 }]);
        const size = (plaintext: number) => 4 * Math.ceil((67 + paddedLength(plaintext)) / 3) + 1_024;
        if (!result.ok) throw new Error('too small');
        expect(size(result.value)).toBeLessThanOrEqual(max_message_length);
        if (result.value < 65_408) expect(size(result.value + 1)).toBeGreaterThan(max_message_length);
      }),
    );
  });
});
