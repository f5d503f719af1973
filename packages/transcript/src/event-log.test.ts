import type { ObserverEvent } from '@heliograph/wire/observer';
import { describe, expect, it } from 'vitest';
import { EventLog } from './event-log.ts';

const event = (seq: number, rest: Partial<ObserverEvent> = {}): ObserverEvent => ({
  seq,
  timestamp: `2026-11-30T09:00:00.${String(seq).padStart(6, '0')}Z`,
  kind: 'acp_read',
  agentIndex: 0,
  channelId: 'c',
  sessionId: null,
  turnId: null,
  stream: 's',
  payload: `${seq}`,
  ...rest,
});

describe('EventLog', () => {
  it('TR73: says whether an event is newest, older than others, here already, or another one of the same identity', () => {
    const log = new EventLog();
    expect([1, 2, 5, 3].map((seq) => log.insert(event(seq)))).toEqual([
      'appended',
      'appended',
      'appended',
      'reordered',
    ]);
    expect(log.insert(event(3))).toBe('duplicate');
    expect(log.insert(event(3, { payload: 'other' }))).toBe('conflict');
    expect(log.insert(event(3, { turnId: 't' }))).toBe('conflict');
    expect(log.insert(event(3, { stream: 'other' }))).toBe('appended');
    expect([...log.range('s')].map(({ payload }) => payload)).toEqual(['1', '2', '3', '5']);
    expect([...log.range('s', 2, 4)].map(({ seq }) => seq)).toEqual([2, 3]);
    expect([log.count('s'), log.count(), log.head('s'), log.head('nowhere')]).toEqual([4, 5, 5, 0]);
  });

  it('DT216: a redacted copy is no other content, the exact one takes its place; beyond the marks, and between exact ones, a conflict stays one', () => {
    const log = new EventLog();
    const copy = (seq: number, payload: string) => event(seq, { payload, redacted: ['/key'] });
    expect(log.insert(event(1, { payload: '{"key":"sk-ant-1","n":1}' }))).toBe('appended');
    expect(log.insert(copy(1, '{"key":"[redacted:anthropic-key]","n":1}'))).toBe('duplicate');
    expect(log.insert(copy(1, '{"key":"[redacted:anthropic-key]","n":2}'))).toBe('conflict');
    expect(log.insert(copy(2, '{"key":"[redacted:anthropic-key]","n":1}'))).toBe('appended');
    expect(log.insert(copy(2, '{"key":"[redacted]","n":1}'))).toBe('duplicate');
    expect([...log.range('s', 2)][0]?.redacted).toEqual(['/key']);
    expect(log.insert(event(2, { payload: '{"key":"sk-ant-2","n":1}', turnId: 't' }))).toBe('conflict');
    expect(log.insert(event(2, { payload: '{"key":"sk-ant-2","n":1}' }))).toBe('restored');
    expect(log.insert(event(2, { payload: '{"key":"sk-ant-3","n":1}' }))).toBe('conflict');
    expect([...log.range('s', 2)][0]).toEqual(event(2, { payload: '{"key":"sk-ant-2","n":1}' }));
    // A mark that an exact line holds is text.
    expect(log.insert(event(3, { payload: '{"key":"[redacted:x]"}' }))).toBe('appended');
    expect(log.insert(event(3, { payload: '{"key":"other"}' }))).toBe('conflict');
    expect(log.count()).toBe(3);
  });

  it('TR74: gaps are exact: before, between, and after what is held as far as somebody counted', () => {
    const log = new EventLog();
    for (const seq of [3, 4, 8]) log.insert(event(seq));
    expect(log.gaps('s')).toEqual([
      { first: 1, last: 2 },
      { first: 5, last: 7 },
    ]);
    expect(log.announce('s', 10)).toBe(true);
    expect(log.announce('s', 9)).toBe(false);
    expect(log.gaps('s').at(-1)).toEqual({ first: 9, last: 10 });
    for (const seq of [1, 2, 5, 6, 7, 9, 10]) log.insert(event(seq));
    expect(log.gaps('s')).toEqual([]);
    expect(log.gaps('nowhere')).toEqual([]);
  });

  it('TR75: a stream belongs to the channel of its stream_opened; what names another is refused, also what came before it', () => {
    const log = new EventLog();
    expect(log.insert(event(2, { channelId: 'squatter' }))).toBe('appended');
    expect(log.insert(event(3))).toBe('appended');
    log.insert(event(1, { kind: 'stream_opened', payload: '{"channelId":"c"}' }));
    expect(log.insert(event(4, { channelId: 'squatter' }))).toBe('conflict');
    expect(log.insert(event(4, { channelId: null }))).toBe('conflict');
    expect([...log.range('s')].map(({ seq }) => seq)).toEqual([1, 3]);
    expect(log.gaps('s')).toEqual([{ first: 2, last: 2 }]);
    expect(log.stream('s')?.channelId).toBe('c');
  });

  it('TR75: a second stream_opened does not take the stream away', () => {
    const log = new EventLog();
    log.insert(event(1, { kind: 'stream_opened', payload: '{"channelId":"c"}' }));
    expect(log.insert(event(2, { kind: 'stream_opened', payload: '{"channelId":"d"}', channelId: 'd' }))).toBe(
      'conflict',
    );
    expect(log.stream('s')?.channelId).toBe('c');
  });

  it('TR76: foreign events go by timestamp and seq, may repeat seqs, and have no gaps', () => {
    const log = new EventLog();
    const foreign = (seq: number, timestamp: string) => event(seq, { stream: undefined, timestamp });
    expect(log.insert(foreign(7, '2026-08-01T10:00:00.123456789+00:00'))).toBe('appended');
    expect(log.insert(foreign(2, '2026-08-01T10:00:01+00:00'))).toBe('appended');
    expect(log.insert(foreign(1, '2026-08-01T10:00:00.5Z'))).toBe('reordered');
    expect(log.insert(foreign(7, '2026-08-01T10:00:00.123456789+00:00'))).toBe('duplicate');
    expect(log.foreign('c').count).toBe(3);
    expect([0, 1, 2].map((n) => log.foreign('c').lineAt(n)?.seq)).toEqual([7, 1, 2]);
    expect(log.gaps('')).toEqual([]);
  });

  it('TR73: seqs that count nothing are refused', () => {
    const log = new EventLog();
    for (const seq of [0, -1, 1.5, Number.NaN, 2 ** 53]) expect(log.insert(event(seq))).toBe('conflict');
    expect(log.count()).toBe(0);
  });
});
