import { nobleCrypto } from '@heliograph/crypto/noble';
import { describe, expect, it } from 'vitest';
import { NO_FIGURES } from '../acp/usage.ts';
import { localSigner } from '../nostr/signer.ts';
import { decodeUsage, encodeUsage, openUsage, parseUsageEvent, sealUsage, type UsageReport } from './usage.ts';

const owner = localSigner(new Uint8Array(32).fill(1), nobleCrypto);
const agent = localSigner(new Uint8Array(32).fill(2), nobleCrypto);
const other = localSigner(new Uint8Array(32).fill(3), nobleCrypto);
const route = { agent: agent.publicKey, owner: owner.publicKey };

const report: UsageReport = {
  harness: 'goose',
  model: 'm-1',
  channelId: 'c',
  sessionId: 's',
  turnId: 't',
  turnSeq: 3,
  timestamp: '2026-11-30T09:20:03.123456Z',
  turn: { ...NO_FIGURES, inputTokens: 100, outputTokens: 20, totalTokens: 120, costUsd: 0.0008 },
  cumulative: { ...NO_FIGURES, inputTokens: 300, cacheReadTokens: 0 },
  deltaReliable: true,
  stopReason: 'end_turn',
};

describe('usage events', () => {
  it('US1: carry one turn, signed by the agent, for the owner alone', async () => {
    const event = await sealUsage(report, route, 1_800_000_000, agent);
    expect(event).toMatchObject({ kind: 44_200, pubkey: agent.publicKey, created_at: 1_800_000_000 });
    expect(event.tags).toEqual([
      ['p', owner.publicKey],
      ['agent', agent.publicKey],
    ]);
    expect(event.content).not.toContain('goose');
    expect(await openUsage(event, owner)).toEqual({ ok: true, value: report });
    expect(await openUsage(event, other)).toMatchObject({ error: { code: 'decrypt' } });
  });

  it('US1: say null for what is not reported, and leave cache figures out', () => {
    const written = JSON.parse(encodeUsage(report)) as { turn: object; cumulative: object };
    expect(written.turn).toEqual({ inputTokens: 100, outputTokens: 20, totalTokens: 120, costUsd: 0.0008 });
    const { inputTokens, cacheReadTokens } = report.cumulative;
    expect(written.cumulative).toEqual({
      inputTokens,
      outputTokens: null,
      totalTokens: null,
      costUsd: null,
      cacheReadTokens,
    });
    expect(decodeUsage(encodeUsage(report))).toEqual({ ok: true, value: report });
  });

  it('US2: with one figure or member that is wrong are refused whole, naming it', () => {
    const text = encodeUsage(report);
    const refused = (change: object, name: string) => {
      const read = decodeUsage(JSON.stringify({ ...JSON.parse(text), ...change }));
      expect(read.ok ? read.value : read.error.message).toContain(name);
    };
    for (const value of [-1, 0.5, '100', 'NaN', true, [], {}, 1e13, 2 ** 53]) {
      refused({ turn: { inputTokens: value } }, 'turn.inputTokens');
      refused({ cumulative: { cacheWriteTokens: value } }, 'cumulative.cacheWriteTokens');
    }
    for (const value of [-0.01, '0.1', 1e10]) refused({ turn: { costUsd: value } }, 'turn.costUsd');
    expect(decodeUsage(text.replace('"costUsd":0.0008', '"costUsd":1e400'))).toMatchObject({
      error: { code: 'malformed', message: expect.stringContaining('turn.costUsd') },
    });
    refused({ turn: [] }, 'turn');
    refused({ harness: undefined }, 'harness');
    refused({ model: 'm'.repeat(257) }, 'model');
    refused({ sessionId: 7 }, 'sessionId');
    refused({ timestamp: 'yesterday' }, 'timestamp');
    refused({ timestamp: '2026-13-45T99:00:00Z' }, 'timestamp');
    refused({ turnSeq: -1 }, 'turnSeq');
    refused({ deltaReliable: 1 }, 'deltaReliable');
    refused({ stopReason: 5 }, 'stopReason');
    for (const broken of ['', '{', 'null', '[]', '7']) expect(decodeUsage(broken)).toMatchObject({ ok: false });
  });

  it('US2: of other implementations are read: what is absent is not reported, what is new is dropped', () => {
    const read = decodeUsage('{"harness":"h","timestamp":"2026-11-30T09:20:03Z","stopReason":"paused","pricing":{}}');
    expect(read).toEqual({
      ok: true,
      value: {
        harness: 'h',
        model: null,
        channelId: null,
        sessionId: null,
        turnId: null,
        turnSeq: null,
        timestamp: '2026-11-30T09:20:03Z',
        turn: NO_FIGURES,
        cumulative: NO_FIGURES,
        deltaReliable: false,
        stopReason: 'unknown',
      },
    });
  });

  it('US3: with other tags, another signer or no ciphertext are refused undecrypted', async () => {
    const good = await sealUsage(report, route, 1, agent);
    const code = (change: object) => {
      const parsed = parseUsageEvent({ ...good, ...change } as typeof good);
      return parsed.ok ? 'ok' : parsed.error.code;
    };
    const [p, a] = good.tags as [readonly string[], readonly string[]];
    expect(code({})).toBe('ok');
    expect(code({ tags: [p, a, ['x', 'y']] })).toBe('ok');
    expect(code({ kind: 1 })).toBe('not-usage');
    for (const tags of [[], [p], [a], [p, p, a], [p, a, a], [['p', 'x'], a]]) expect(code({ tags })).toBe('tags');
    expect(code({ pubkey: other.publicKey })).toBe('signer');
    expect(code({ tags: [['p', agent.publicKey], a] })).toBe('signer');
    expect(code({ content: 'short' })).toBe('length');
  });
});
