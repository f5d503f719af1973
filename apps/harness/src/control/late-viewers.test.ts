import type { Snapshot } from '@heliograph/wire';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import type { SpoolEntry } from '../mirror/spool.ts';
import { LateViewers, missingSpans } from './late-viewers.ts';
import { encodeSnapshot } from './snapshot.ts';

const entry = (stream: string, firstSeq: number, lastSeq = firstSeq): SpoolEntry => ({
  stream,
  firstSeq,
  lastSeq,
  hash: 'h',
});
const settled = () => new Promise((resolve) => setImmediate(resolve));

function open(entries: readonly SpoolEntry[], openSpans: readonly { stream: string; fromSeq: number }[] = []) {
  const clock = new ManualClock();
  const log: string[] = [];
  const done: (() => void)[] = [];
  const viewers = new LateViewers({
    clock,
    settle: async () => void log.push('settle'),
    tellSnapshot: (ids) => void log.push(`snapshot ${ids.join(',')}`),
    kept: (stream, from, to) => entries.filter((e) => e.stream === stream && e.lastSeq >= from && e.firstSeq <= to),
    lastSeq: (stream) => Math.max(0, ...entries.filter((e) => e.stream === stream).map((e) => e.lastSeq)),
    replay: (list, whenDone) => {
      log.push(`replay ${list.map((e) => `${e.stream}${e.firstSeq}`).join(' ')}`);
      done.push(whenDone);
      return true;
    },
    openSpans: () => openSpans,
  });
  return { clock, log, done, viewers };
}
const hello = (requestId: string, have?: { stream: string; seq: number }[]) => ({
  type: 'hello' as const,
  requestId,
  viewer: 'v',
  features: [],
  ...(have ? { have } : {}),
});

describe('late viewers', () => {
  test('HA30: one snapshot in two seconds answers every hello that came in between', async () => {
    const { clock, log, viewers } = open([]);
    viewers.hello(hello('h1'), () => {});
    clock.advance(0);
    await settled();
    viewers.hello(hello('h2'), () => {});
    viewers.hello(hello('h3'), () => {});
    clock.advance(1_999);
    await settled();
    expect(log.filter((line) => line.startsWith('snapshot'))).toEqual(['snapshot h1']);
    clock.advance(1);
    await settled();
    expect(log.filter((line) => line.startsWith('snapshot'))).toEqual(['snapshot h1', 'snapshot h2,h3']);
  });

  test('HA52: a clock that is set back does not keep a viewer waiting', async () => {
    const { clock, log, viewers } = open([]);
    viewers.hello(hello('h1'), () => {});
    clock.advance(0);
    await settled();
    clock.advance(-3_600_000);
    viewers.hello(hello('h2'), () => {});
    clock.advance(2_000);
    await settled();
    expect(log).toContain('snapshot h2');
  });

  test('HA30: everything is sealed first, then the snapshot, then what is missing: of known streams the newest 256', async () => {
    const many = Array.from({ length: 300 }, (_, i) => entry('a', i + 1));
    const { clock, log, viewers } = open(
      [...many, entry('b', 1), entry('b', 2), entry('c', 5)],
      [
        { stream: 'b', fromSeq: 2 },
        { stream: 'a', fromSeq: 1 },
      ],
    );
    viewers.hello(hello('h1', [{ stream: 'a', seq: 10 }]), () => {});
    clock.advance(0);
    await settled();
    expect(log.slice(0, 2)).toEqual(['settle', 'snapshot h1']);
    const sent = (log[2] ?? '').split(' ').slice(1);
    expect(sent[0]).toBe('a45');
    expect(sent.filter((name) => name.startsWith('a'))).toHaveLength(256);
    expect(sent.filter((name) => name.startsWith('b'))).toEqual(['b2']);
    expect(sent.filter((name) => name.startsWith('c'))).toEqual([]);
  });

  test('HA31: a replay answers after its last envelope and names exactly what is gone', async () => {
    const { log, done, viewers } = open([entry('a', 3, 4), entry('a', 7, 9)]);
    const replies: object[] = [];
    const replay = { type: 'replay' as const, requestId: 'r1', stream: 'a', fromSeq: 1, toSeq: 20 };
    await viewers.replay(replay, (result) => replies.push(result));
    await viewers.replay(replay, (result) => replies.push(result));
    expect(log).toEqual(['settle', 'replay a3 a7']);
    expect(replies).toEqual([]);
    done[0]?.();
    expect(replies).toEqual([
      {
        status: 'partial',
        missing: [
          [1, 2],
          [5, 6],
        ],
      },
    ]);
  });

  test('HA31: a thousand envelopes at a time, and unknown streams are said to be unknown', async () => {
    const { log, done, viewers } = open(Array.from({ length: 1_100 }, (_, i) => entry('a', i + 1)));
    const replies: object[] = [];
    await viewers.replay({ type: 'replay', stream: 'a', fromSeq: 1 }, (result) => replies.push(result));
    expect(log[1]?.split(' ')).toHaveLength(1_001);
    done[0]?.();
    await viewers.replay({ type: 'replay', stream: 'z', fromSeq: 1 }, (result) => replies.push(result));
    done[1]?.();
    expect(replies).toMatchObject([
      { status: 'partial', missing: [], reason: expect.stringContaining('from seq 1001') },
      { status: 'unknown' },
    ]);
  });

  test('HA31: missing spans', () => {
    expect(missingSpans([], 1, 3)).toEqual([[1, 3]]);
    expect(missingSpans([{ firstSeq: 1, lastSeq: 3 }], 2, 3)).toEqual([]);
    expect(
      missingSpans(
        [
          { firstSeq: 2, lastSeq: 3 },
          { firstSeq: 5, lastSeq: 5 },
        ],
        1,
        6,
      ),
    ).toEqual([
      [1, 1],
      [4, 4],
      [6, 6],
    ]);
  });

  test('HA30: a snapshot keeps the newest turns that fit', () => {
    const turns = Array.from({ length: 1_000 }, (_, i) => ({ turnId: `turn-${i}`, firstSeq: i + 1, lastSeq: i + 1 }));
    const snapshot = {
      streams: [],
      channels: [{ channelId: 'c', turns, queue: [], pending: [], lastActivity: '' }],
    } as unknown as Snapshot;
    const payload = encodeSnapshot(snapshot, 8_000);
    expect(payload.length).toBeLessThanOrEqual(8_000);
    const kept = (JSON.parse(payload) as Snapshot).channels[0]?.turns ?? [];
    expect(kept.length).toBeGreaterThan(50);
    expect(kept.at(-1)?.turnId).toBe('turn-999');
  });
});
