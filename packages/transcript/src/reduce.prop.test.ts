import type { ObserverEvent } from '@heliograph/wire/observer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Draft } from './draft.ts';
import { TranscriptFold } from './fold.ts';
import { selectHeadline } from './headline.ts';
import type { LogEvent } from './log-event.ts';
import { selectRawLines } from './raw-lines.ts';
import { emptyTranscript, reduce, reduceInto } from './reduce.ts';
import { selectCounts, selectLastActivity, selectPendingQuestions, selectTurnState } from './select.ts';
import { CHANNEL } from './testing/mini-harness.ts';
import { CHANNELS, randomSession } from './testing/random-session.ts';
import { insanities } from './testing/sane.ts';

const UPDATES = [
  'user_message_chunk',
  'agent_message_chunk',
  'agent_thought_chunk',
  'user_message',
  'agent_message',
  'agent_thought',
  'tool_call',
  'tool_call_update',
  'tool_call_content_chunk',
  'plan',
  'plan_update',
  'plan_removed',
  'terminal_update',
  'terminal_output_chunk',
  'state_update',
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
  'usage_update',
  'notice',
  'compaction_update',
  'compaction_summary_chunk',
  'subagent_update',
  'session_message',
];
const MEMBERS = [
  'content',
  'messageId',
  'toolCallId',
  'title',
  'kind',
  'status',
  'locations',
  'rawInput',
  'rawOutput',
  '_meta',
  'entries',
  'plan',
  'planId',
  'terminalId',
  'data',
  'output',
  'exitStatus',
  'state',
  'stopReason',
  'availableCommands',
  'currentModeId',
  'configOptions',
  'used',
  'size',
  'cost',
  'severity',
  'compactionId',
  'summary',
  '__proto__',
  'constructor',
];
const KINDS = [
  'acp_read',
  'acp_write',
  'acp_parse_error',
  'acp_part',
  'acp_elided',
  'acp_write_failed',
  'stream_opened',
  'stream_closed',
  'heads',
  'harness_started',
  'agent_initialized',
  'session_config_captured',
  'session_resolved',
  'agent_stderr',
  'harness_note',
  'agent_exited',
  'turn_started',
  'turn_liveness',
  'turn_completed',
  'turn_error',
  'prompt_queued',
  'prompt_dequeued',
  'permission_pending',
  'permission_terminal',
  'control_result',
  'observer_telemetry_gap',
  'clock_stepped',
  'snapshot',
  'agent_panic',
  'constructor',
];
const NOTE_MEMBERS = [
  'outcome',
  'stopReason',
  'usage',
  'error',
  'code',
  'hint',
  'text',
  'requestNonce',
  'requestSeq',
  'rpcId',
  'reason',
  'optionId',
  'decidedBy',
  'firstSeq',
  'lastSeq',
  'sessionId',
  'configOptions',
  'modes',
  'models',
  'promptRequestId',
  'position',
  'streams',
  'head',
  'channelId',
  'type',
  'status',
  'source',
  'line',
  'initializeResult',
  'lastAgentByteAgeMs',
  'continues',
];
const METHODS = [
  'session/update',
  'session/prompt',
  'session/cancel',
  'session/request_permission',
  'session/new',
  'session/load',
  'session/set_mode',
  'session/set_model',
  'session/set_config_option',
  'initialize',
  '$/cancel_request',
  'terminal/create',
  'terminal/output',
  'elicitation/create',
  '_session/steering',
  '_x',
  'qwen/notify',
];

const word = fc.constantFrom('a', 'b', 'text', 'completed', 'in_progress', 'idle', 'running', 'end_turn', '');
const anything = fc.oneof(
  { weight: 3, arbitrary: word },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(null, 0, 1, 2 ** 53, -1, true, [], {}) },
);
const block = fc.oneof(
  fc.record(
    {
      type: fc.constantFrom('text', 'image', 'resource_link', 'resource', 'diff', 'content', 'terminal', 'zz'),
      text: anything,
      uri: anything,
      data: anything,
      resource: anything,
      content: anything,
      path: anything,
      newText: anything,
      terminalId: word,
      changes: anything,
      patch: anything,
    },
    { requiredKeys: ['type'] },
  ),
  anything,
);
const object = (keys: readonly string[], value: fc.Arbitrary<unknown>) =>
  fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 6 });
const update = fc
  .tuple(
    fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...UPDATES) }, fc.string()),
    object(MEMBERS, fc.oneof(anything, block, fc.array(block, { maxLength: 3 }))),
  )
  .map(([sessionUpdate, members]) => ({ ...members, sessionUpdate }));
const params = fc.oneof(
  fc.record({ sessionId: word, update }),
  fc.record(
    {
      sessionId: word,
      prompt: fc.array(block, { maxLength: 2 }),
      toolCall: object(MEMBERS, anything),
      options: anything,
      subject: anything,
      requestId: anything,
      modeId: anything,
    },
    { requiredKeys: [] },
  ),
  anything,
);
const id = fc.constantFrom<unknown>(0, 1, '0', null, 1.5, {}, 'x');
const message = fc.oneof(
  fc.record({ id, method: fc.constantFrom(...METHODS), params }, { requiredKeys: ['method'] }),
  fc.record({
    id,
    result: fc.oneof(
      fc.record({ stopReason: anything }),
      fc.record({ outcome: fc.record({ outcome: word, optionId: anything }) }),
      fc.record({ sessionId: word, configOptions: anything, modes: anything }),
      anything,
    ),
  }),
  fc.record({ id, error: anything }, { requiredKeys: ['error'] }),
);
const line = fc.oneof(
  { weight: 8, arbitrary: message.map((value) => JSON.stringify(value)) },
  fc.array(message, { maxLength: 3 }).map((value) => JSON.stringify(value)),
  fc.json(),
  fc.string(),
);
const note = object(
  NOTE_MEMBERS,
  fc.oneof(anything, object(NOTE_MEMBERS, anything), fc.array(object(NOTE_MEMBERS, anything), { maxLength: 2 })),
);
const event: fc.Arbitrary<LogEvent> = fc
  .record({
    seq: fc.oneof({ weight: 6, arbitrary: fc.nat({ max: 60 }) }, fc.constantFrom(-1, 0, 2 ** 53 - 1, 1.5, Number.NaN)),
    timestamp: fc.oneof(
      fc.nat({ max: 99 }).map((n) => `2026-11-30T09:00:00.0000${String(n).padStart(2, '0')}Z`),
      fc.string(),
    ),
    kind: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom('acp_read', 'acp_write') },
      { weight: 3, arbitrary: fc.constantFrom(...KINDS) },
      { weight: 1, arbitrary: fc.string() },
    ),
    agentIndex: fc.constant(0),
    channelId: fc.constantFrom(CHANNEL, CHANNEL, CHANNEL, null, 'channel-2'),
    sessionId: fc.constantFrom(null, 'a', 'b'),
    turnId: fc.constantFrom(null, null, 't1', 't2'),
    stream: fc.constantFrom(undefined, 's1', 's1', 's1', 's2', 'run-1'),
    line,
    note,
  })
  .chain(({ line: text, note: body, ...head }) =>
    fc.constant({
      ...head,
      payload: head.kind.startsWith('acp_re') || head.kind === 'acp_write' ? text : JSON.stringify(body),
    }),
  );

/** Events as a hostile agent's harness could send them: seqs mostly in order, so that they get as far as the reducers. */
const hostile = fc.array(fc.tuple(event, fc.boolean()), { maxLength: 60 }).map((drawn) => {
  const seqs = new Map<string, number>();
  return drawn.map(([drawnEvent, inOrder]): ObserverEvent => {
    if (!inOrder || drawnEvent.stream === undefined) return drawnEvent;
    const seq = (seqs.get(drawnEvent.stream) ?? 0) + 1;
    seqs.set(drawnEvent.stream, seq);
    return { ...drawnEvent, seq };
  });
});

function look(fold: TranscriptFold): void {
  for (const channelId of [...CHANNELS, 'nowhere']) {
    const transcript = fold.transcript(channelId);
    expect(insanities(transcript)).toEqual([]);
    selectCounts(transcript);
    selectLastActivity(transcript);
    selectPendingQuestions(transcript);
    for (const turn of transcript.turns) {
      selectTurnState(turn);
      for (const item of turn.items) if (item.kind === 'tool') selectHeadline(item, '/srv');
    }
  }
  fold.agent();
  const lines = selectRawLines(fold.log, [...fold.log.streams(), ''], CHANNEL);
  for (let i = 0; i < lines.length; i++) expect(lines.at(i)).toBeDefined();
}

describe('reduce and TranscriptFold are total', () => {
  it('TR5: no sequence of hostile events throws or breaks what is shown', () => {
    fc.assert(
      fc.property(hostile, (events) => {
        let own = emptyTranscript(CHANNEL);
        let none = emptyTranscript(null);
        const fold = new TranscriptFold();
        for (const [i, drawn] of events.entries()) {
          own = reduce(own, drawn);
          none = reduce(none, drawn);
          fold.insert(drawn);
          if (i % 9 === 0) look(fold);
        }
        expect([...insanities(own), ...insanities(none)]).toEqual([]);
        look(fold);
      }),
      { numRuns: 100 },
    );
  });
});

describe('reduce', () => {
  it('TR6: one event at a time, or many into one draft, and from scratch: the same transcript', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 479 }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 30 }),
        (steps, batch) => {
          const events = randomSession(steps);
          for (const channelId of CHANNELS) {
            const own = events.filter((drawn) => drawn.channelId === channelId && drawn.kind !== 'acp_part');
            let single = emptyTranscript(channelId);
            const draft = new Draft(emptyTranscript(channelId));
            for (const [i, drawn] of own.entries()) {
              single = reduce(single, drawn);
              reduceInto(draft, drawn);
              if (i % batch === 0) draft.finish();
            }
            expect(draft.finish()).toEqual(single);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it('TR6: the fold of a log is the plain reduction of its events in wire order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 479 }), { maxLength: 60 }), (steps) => {
        const events = randomSession(steps).filter(({ kind }) => kind !== 'acp_part');
        const fold = new TranscriptFold();
        for (const drawn of events) fold.insert(drawn);
        const heard = events.filter(({ channelId }) => channelId === CHANNEL || channelId === null);
        expect(fold.transcript(CHANNEL)).toEqual(heard.reduce(reduce, emptyTranscript(CHANNEL)));
      }),
      { numRuns: 100 },
    );
  });
});
