import { type ObserverEvent, splitPayload } from '@heliograph/wire/observer';
import { describe, expect, it } from 'vitest';
import { TranscriptFold } from './fold.ts';
import type { GapItem } from './model.ts';
import { CHANNEL, MiniHarness, STREAM } from './testing/mini-harness.ts';
import { Scene } from './testing/scene.ts';

const gaps = (fold: TranscriptFold): readonly GapItem[] =>
  fold.transcript(CHANNEL).turns.flatMap(({ items }) => items.filter((item): item is GapItem => item.kind === 'gap'));

/** A told session of three turns, and the fold of it without the events `leave` names. */
function without(leave: (event: ObserverEvent, n: number) => boolean) {
  const { harness } = new Scene({ told: true })
    .prompt('one')
    .says('a')
    .answer()
    .prompt('two')
    .says('b')
    .says('c')
    .answer()
    .prompt('three')
    .says('d')
    .answer();
  const fold = new TranscriptFold();
  const late: ObserverEvent[] = [];
  const whole = new TranscriptFold();
  for (const [n, event] of harness.events.entries()) {
    whole.insert(event);
    if (leave(event, n)) late.push(event);
    else fold.insert(event);
  }
  return { fold, late, whole };
}

describe('what is missing', () => {
  it('TR77: a hole is a gap where the lines would stand, and goes when they come', () => {
    const { fold, late, whole } = without(({ payload }) => payload.includes('"b"'));
    const [, two] = fold.transcript(CHANNEL).turns;
    expect(two?.items.map(({ kind }) => kind)).toEqual(['user', 'gap', 'agent']);
    expect(gaps(fold)).toMatchObject([
      { stream: STREAM, firstSeq: late[0]?.seq, lastSeq: late[0]?.seq, lost: false, reasons: [] },
    ]);
    for (const event of late) fold.insert(event);
    expect(fold.transcript(CHANNEL)).toEqual(whole.transcript(CHANNEL));
  });

  it('TR77: filling it folds its turn again and leaves the others as they were', () => {
    const { fold, late } = without(({ payload }) => payload.includes('"b"'));
    const before = fold.transcript(CHANNEL).turns;
    for (const event of late) fold.insert(event);
    const after = fold.transcript(CHANNEL).turns;
    expect(after.map((turn, n) => turn === before[n])).toEqual([true, false, true]);
    expect(after[1]?.items[0]).toBe(before[1]?.items[0]);
  });

  it('TR77: a turn whose end is missing ends when another begins', () => {
    const { fold } = without(({ seq, stream }) => stream === STREAM && seq >= 5 && seq <= 7);
    expect(fold.transcript(CHANNEL).turns.map(({ status, outcome }) => [status, outcome])).toEqual([
      ['ended', 'unknown'],
      ['ended', 'completed'],
      ['ended', 'completed'],
    ]);
  });

  it('TR77: a viewer that comes late sees what it lacks at the start as one gap', () => {
    const { fold } = without(({ seq, stream }) => stream === STREAM && seq < 12);
    expect(gaps(fold)).toMatchObject([{ firstSeq: 1, lastSeq: 11, lost: false }]);
  });

  it('TR78: numbers the harness gave up are lost, with the reasons; what is held beats a gap; ranges stay ranges', () => {
    const scene = new Scene().prompt().says('a').says('b').says('c').says('d');
    const lost = scene.harness.events.splice(-4);
    const [a, b, c, d] = lost.map(({ seq }) => seq);
    scene.note('observer_telemetry_gap', {
      firstSeq: a,
      lastSeq: b,
      droppedEvents: 2,
      reasonCounts: { overflow: 1, disk: 1 },
    });
    expect(scene.all('gap')).toMatchObject([
      { firstSeq: a, lastSeq: b, lost: true, reasons: ['overflow', 'disk'] },
      { firstSeq: c, lastSeq: d, lost: false },
    ]);
    scene.note('observer_telemetry_gap', { firstSeq: a, lastSeq: d, droppedEvents: 4, reasonCounts: { rate: 4 } });
    expect(scene.all('gap')).toMatchObject([
      { lost: true, reasons: ['overflow', 'disk', 'rate'] },
      { lost: true, reasons: ['rate'] },
    ]);
    for (const event of lost) scene.fold.insert(event);
    expect(scene.all('gap')).toEqual([]);
    expect(scene.outline()).toEqual(['user: do it', 'agent: abcd']);
  });

  it('TR79: lines that heads tell of and nobody has are a gap at the end, which goes when they come', () => {
    const scene = new Scene().prompt().says('a').says('b');
    const [tail] = scene.harness.events.splice(-1);
    scene.harnessNote('heads', { streams: [{ stream: STREAM, seq: tail?.seq, hash: '' }] });
    expect(scene.the('gap')).toMatchObject({ firstSeq: tail?.seq, lastSeq: tail?.seq, lost: false });
    expect(scene.transcript).toBe(scene.transcript);
    if (tail !== undefined) scene.fold.insert(tail);
    expect(scene.outline()).toEqual(['user: do it', 'agent: ab']);
  });

  it('TR80: one identity with two contents is shown as such, and the first content stays', () => {
    const scene = new Scene().prompt().says('first').says(' more');
    const before = scene.transcript;
    const line = scene.harness.events.at(-2);
    if (line === undefined) throw new RangeError('no line');
    expect(scene.fold.insert({ ...line, payload: line.payload.replace('first', 'forged') })).toBe('conflict');
    expect(scene.outline()).toEqual(['user: do it', 'error', 'agent: first more']);
    expect(scene.the('error')).toMatchObject({ outcome: 'conflict' });
    expect(scene.fold.insert({ ...line, payload: 'third' })).toBe('conflict');
    expect(scene.all('error')).toHaveLength(1);
    expect(before.turns.at(-1)?.items).toHaveLength(2);
  });

  it('TR80: a stream id another channel squats on shows nothing of it', () => {
    const scene = new Scene().prompt();
    const squat = {
      agentIndex: 0,
      channelId: 'other',
      sessionId: null,
      turnId: null,
      stream: STREAM,
      timestamp: 'z',
      kind: 'acp_parse_error',
      payload: '{}',
    };
    expect(scene.fold.insert({ ...squat, seq: 1000 })).toBe('appended');
    expect(scene.turns).toHaveLength(1);
    expect(scene.fold.insert({ ...squat, seq: 1001 })).toBe('conflict');
    expect(scene.all('error')).toEqual([]);
  });
});

describe('payloads in parts', () => {
  const body = {
    sessionUpdate: 'agent_message_chunk',
    messageId: 'm',
    content: { type: 'text', text: 'long '.repeat(200) },
  };
  const line = JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: body } });

  function inParts() {
    const scene = new Scene().prompt();
    const first = 1 + scene.harness.events.filter(({ stream }) => stream === STREAM).length;
    for (const payload of splitPayload('acp_read', line, first, 400) ?? []) scene.note('acp_part', payload);
    return { scene, parts: scene.harness.events.filter(({ kind }) => kind === 'acp_part') };
  }

  it('TR81: are one line once all are here, and it comes from all of them', () => {
    const { scene, parts } = inParts();
    expect(parts.length).toBeGreaterThan(2);
    expect(scene.the('agent')).toMatchObject({ parts: [{ text: 'long '.repeat(200) }] });
    expect(scene.the('agent').refs).toEqual([{ stream: STREAM, first: parts[0]?.seq, last: parts.at(-1)?.seq }]);
  });

  it('TR81: with one missing there is a gap and no half line, in whatever order they come', () => {
    const { scene, parts } = inParts();
    const fold = new TranscriptFold();
    for (const event of scene.harness.events) if (event !== parts[1]) fold.insert(event);
    expect(
      fold
        .transcript(CHANNEL)
        .turns.at(-1)
        ?.items.map(({ kind }) => kind),
    ).toEqual(['user', 'gap']);
    if (parts[1] !== undefined) fold.insert(parts[1]);
    expect(fold.transcript(CHANNEL)).toEqual(scene.transcript);
  });

  it('TR81: that do not fit their SHA-256 are shown raw', () => {
    const { scene, parts } = inParts();
    const forged = parts.map((part) => ({ ...part, payload: part.payload.replace('long', 'lung') }));
    const fold = new TranscriptFold();
    for (const event of scene.harness.events) fold.insert(forged[parts.indexOf(event)] ?? event);
    expect(
      fold
        .transcript(CHANNEL)
        .turns.at(-1)
        ?.items.map(({ kind }) => kind),
    ).toEqual(['user', 'raw']);
  });
});

describe('channels', () => {
  it('TR82: each has a transcript of its own, what belongs to none has one, too', () => {
    const scene = new Scene().prompt().says('mine', 'm');
    const other = { channelId: 'channel-2', turnId: null };
    const update = { sessionUpdate: 'agent_message_chunk', messageId: 'm', content: { type: 'text', text: 'theirs' } };
    scene.harness.say('stream-9', { ...other, kind: 'stream_opened', payload: { channelId: 'channel-2' } });
    scene.harness.say('stream-9', {
      ...other,
      kind: 'acp_read',
      payload: { method: 'session/update', params: { sessionId: 't', update } },
    });
    scene.harnessNote('acp_parse_error', { line: 'banner', error: 'no', direction: 'read' });
    expect(scene.outline()).toEqual(['user: do it', 'agent: mine']);
    expect(scene.fold.channels()).toEqual([CHANNEL, 'channel-2']);
    expect(scene.fold.channels()).toBe(scene.fold.channels());
    const [theirs] = scene.fold.transcript('channel-2').turns;
    expect(theirs).toMatchObject({ source: 'none', items: [{ kind: 'agent', parts: [{ text: 'theirs' }] }] });
    expect(scene.fold.transcript(null).turns).toMatchObject([{ items: [{ kind: 'error', outcome: 'parse' }] }]);
    expect(scene.fold.transcript('nowhere').turns).toEqual([]);
  });

  it('TR82: a channel that nothing came for keeps its transcript object', () => {
    const scene = new Scene().prompt().says('a');
    const before = scene.transcript;
    scene.harness.say('stream-9', {
      channelId: 'channel-2',
      kind: 'stream_opened',
      payload: { channelId: 'channel-2' },
    });
    scene.harnessNote('heads', { streams: [] });
    expect(scene.transcript).toBe(before);
  });

  it('TR83: streams of one channel follow each other by time, and by what they say they continue', () => {
    const order = (first: object, second: object) => {
      const fold = new TranscriptFold();
      const head = { agentIndex: 0, channelId: 'c', sessionId: null, turnId: null, kind: 'stream_opened', seq: 1 };
      fold.insert({
        ...head,
        stream: 'new',
        timestamp: '2026-01-01T10:00:00.000000Z',
        payload: JSON.stringify({ channelId: 'c', ...second }),
      });
      fold.insert({
        ...head,
        stream: 'old',
        timestamp: '2026-01-01T11:00:00.000000Z',
        payload: JSON.stringify({ channelId: 'c', ...first }),
      });
      return fold.transcript('c').streams;
    };
    expect(order({}, {})).toEqual(['new', 'old']);
    expect(order({}, { continues: { stream: 'old', seq: 9, hash: '', clean: true } })).toEqual(['old', 'new']);
    expect(order({ continues: { stream: 'new' } }, { continues: { stream: 'old' } })).toHaveLength(2);
  });

  it('TR84: foreign events make a transcript without gaps; those of no channel tell of the agent', () => {
    const fold = new TranscriptFold();
    let seq = 0;
    const say = (kind: string, payload: unknown, channelId: string | null = 'c', turnId: string | null = 't') => {
      seq += 3;
      const timestamp = `2026-08-01T10:00:0${seq / 3}.000000000+00:00`;
      const head = { seq, timestamp, agentIndex: 0, channelId, sessionId: null, turnId, stream: undefined };
      fold.insert({ ...head, kind, payload: JSON.stringify(payload) });
    };
    say(
      'agent_initialized',
      { agentIndex: 0, initializeResult: { protocolVersion: 1, agentInfo: { name: 'goose' } } },
      null,
      null,
    );
    say('turn_started', { source: 'channel', triggeringEventIds: [] });
    say('acp_write', { id: 3, method: 'session/prompt', params: { prompt: [{ type: 'text', text: 'hi' }] } });
    say('acp_read', {
      method: 'session/update',
      params: { update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'hello' } } },
    });
    say('turn_completed', {});
    expect(fold.transcript('c').session).toMatchObject({ agentName: 'goose' });
    expect(fold.transcript('c').turns).toMatchObject([
      { id: 't', source: 'channel', status: 'ended', items: [{ kind: 'user' }, { kind: 'agent' }] },
    ]);
  });
});

describe('the agent', () => {
  it('TR85: is what the newest run’s harness stream says', () => {
    const scene = new Scene();
    expect(new TranscriptFold().agent()).toMatchObject({ run: undefined, process: 'starting', stderrTail: '' });
    scene.turns;
    expect(scene.fold.agent()).toMatchObject({
      run: 'run-1',
      agentName: 'scene',
      command: ['agent', '--acp'],
      cwd: '/srv/dev',
      host: 'box',
      version: '0.1.0',
      process: 'running',
    });
    expect(scene.fold.agent()).toBe(scene.fold.agent());
  });

  it('TR85: exit, stderr tail, and starting again', () => {
    const scene = new Scene()
      .harnessNote('agent_stderr', { text: 'oh no\n' })
      .harnessNote('agent_exited', { code: 1, signal: null, expected: false });
    scene.turns;
    expect(scene.fold.agent()).toMatchObject({
      process: 'exited',
      exit: { code: 1, signal: undefined, expected: false },
      stderrTail: 'oh no\n',
    });
    scene.harness.write({ jsonrpc: '2.0', id: 9, method: 'initialize', params: {} });
    scene.turns;
    expect(scene.fold.agent().process).toBe('starting');
    const next = new MiniHarness({ run: 'run-2', stream: 'stream-2', fromSeconds: 60 });
    for (const event of [...next.events].reverse()) scene.fold.insert(event);
    expect(scene.fold.agent()).toMatchObject({ run: 'run-2', process: 'starting', stderrTail: '' });
  });
});
