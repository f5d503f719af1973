import type { ObserverEvent } from '@heliograph/wire/observer';
import { bench, describe } from 'vitest';
import { TranscriptFold } from './fold.ts';
import { emptyTranscript, reduce } from './reduce.ts';
import { CHANNEL, MiniHarness } from './testing/mini-harness.ts';

// `npx vitest bench --project unit packages/transcript`: what BATCH more events cost when N are held. The rows of a group agree
// when the cost of an event does not grow with the session (on a busy machine compare the p75 column).
const SIZES = [1_000, 10_000, 100_000];
const BATCH = 100;
const ROUNDS = 60;
const settings = { iterations: ROUNDS, time: 0, warmupIterations: 10, warmupTime: 0 };
const MORE = BATCH * (ROUNDS + 20);

const update = (body: object) => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId: 's', update: body },
});

/** A session as real ones are: turns of about 200 lines, mostly text, a tool call every 20. */
function session(count: number): readonly ObserverEvent[] {
  const harness = new MiniHarness();
  for (let n = 0; harness.events.length < count; n++) {
    if (n % 200 === 0) {
      if (n > 0) harness.read({ jsonrpc: '2.0', id: n - 200, result: { stopReason: 'end_turn' } });
      const prompt = [{ type: 'text', text: 'go on' }];
      harness.write({ jsonrpc: '2.0', id: n, method: 'session/prompt', params: { sessionId: 's', prompt } });
    }
    const toolCallId = `call-${Math.floor(n / 20)}`;
    const call = { sessionUpdate: 'tool_call', toolCallId, title: 'Run', kind: 'execute', rawInput: { command: 'ls' } };
    const done = { sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' };
    const content = { type: 'text', text: 'some words ' };
    const chunk = { sessionUpdate: 'agent_message_chunk', messageId: `m-${Math.floor(n / 10)}`, content };
    harness.read(update(n % 20 === 10 ? call : n % 20 === 14 ? done : chunk));
  }
  return harness.events;
}

/** One turn that never ends and only makes tool calls: the worst a session can do. */
function oneTurn(count: number): readonly ObserverEvent[] {
  const harness = new MiniHarness();
  harness.write({ jsonrpc: '2.0', id: 1, method: 'session/prompt', params: { sessionId: 's', prompt: [] } });
  for (let n = 0; harness.events.length < count; n++) {
    harness.read(update({ sessionUpdate: 'tool_call', toolCallId: `call-${n}`, title: 'Run', status: 'in_progress' }));
  }
  return harness.events;
}

function benchFold(events: readonly ObserverEvent[], size: number, readEvery: number): void {
  const fold = new TranscriptFold();
  let next = 0;
  const insert = (count: number) => {
    for (const event of events.slice(next, next + count)) {
      fold.insert(event);
      if (++next % readEvery === 0) fold.transcript(CHANNEL);
    }
  };
  insert(size);
  fold.transcript(CHANNEL);
  bench(`${size} events held`, () => insert(BATCH), settings);
}

describe(`${BATCH} events in order, the transcript read once`, () => {
  const events = session(100_000 + MORE);
  for (const size of SIZES) benchFold(events, size, BATCH);
});

describe(`${BATCH} events in order, the transcript read after each`, () => {
  const events = session(100_000 + MORE);
  for (const size of SIZES) benchFold(events, size, 1);
});

describe(`${BATCH} tool calls more in a turn that never ends, the transcript read once`, () => {
  const events = oneTurn(100_000 + MORE);
  for (const size of SIZES) benchFold(events, size, BATCH);
});

describe('one event that was missing comes: its turn is folded again', () => {
  const events = session(100_000);
  for (const size of SIZES) {
    const late = events
      .slice(size / 2, size / 2 + 4 * (ROUNDS + 20))
      .filter(({ kind }, n) => kind === 'acp_read' && n % 4 === 0);
    const held = new Set(late);
    const fold = new TranscriptFold();
    for (const event of events.slice(0, size)) if (!held.has(event)) fold.insert(event);
    fold.transcript(CHANNEL);
    bench(
      `${size} events held`,
      () => {
        const event = late.pop();
        if (event !== undefined) fold.insert(event);
        fold.transcript(CHANNEL);
      },
      settings,
    );
  }
});

describe(`${BATCH} events by plain reduce, each on its own`, () => {
  const events = session(100_000 + MORE);
  for (const size of SIZES) {
    let transcript = events.slice(0, size).reduce(reduce, emptyTranscript(CHANNEL));
    let next = size;
    bench(
      `${size} events reduced`,
      () => {
        transcript = events.slice(next, next + BATCH).reduce(reduce, transcript);
        next += BATCH;
      },
      settings,
    );
  }
});
