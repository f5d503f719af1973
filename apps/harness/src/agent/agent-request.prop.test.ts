import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AgentRequest,
  type RequestEffect,
  type RequestInput,
  type RequestState,
  stepRequest,
} from './agent-request.ts';
import { readElicitation } from './elicitation.ts';
import { readOptions, readPermission } from './permission.ts';

const request: AgentRequest = {
  requestNonce: 'n1',
  requestSeq: 7,
  requestSha256: 'a'.repeat(64),
  rpcId: '0',
  toolCallId: 'T',
  actionable: true,
  stream: 'st',
  channelId: 'ch',
  sessionId: 'S',
  turnId: 't1',
  askedAt: '2026-11-30T00:00:00.000000Z',
  ask: readPermission({
    options: [
      { optionId: 'yes', kind: 'allow_once' },
      { optionId: 'always', kind: 'allow_always' },
      { optionId: 'no', kind: 'reject_once' },
      { optionId: 'odd', kind: 'allow_everything' },
    ],
  }).ask,
};

const options = request.ask.kind === 'permission' ? request.ask.options : [];
const form: AgentRequest = {
  ...request,
  ask: readElicitation({ requestedSchema: { properties: { x: { type: 'string' } }, required: ['x'] } }).ask,
};

type Decided = Extract<RequestInput, { type: 'decided' }>;
const decided = ({
  optionId = 'yes',
  confirmed = false,
  ...over
}: Partial<Decided> & { optionId?: string; confirmed?: boolean } = {}): RequestInput => ({
  type: 'decided',
  channelId: 'ch',
  requestNonce: 'n1',
  requestSha256: 'a'.repeat(64),
  answer: { kind: 'permission', optionId, confirmed },
  ...over,
});
const filled = (
  action: 'accept' | 'decline' | 'cancel',
  content?: Record<string, unknown>,
  over: Partial<Decided> = {},
) => decided({ answer: { kind: 'elicitation', action, content }, ...over });

function run(inputs: readonly RequestInput[], of = request) {
  let state: RequestState = { phase: 'pending' };
  const effects: RequestEffect[] = [];
  const verdicts: unknown[] = [];
  for (const input of inputs) {
    const step = stepRequest(of, state, input);
    state = step.state;
    effects.push(...step.effects);
    verdicts.push(step.verdict?.status);
  }
  return { state, effects, verdicts };
}

const anyInput: fc.Arbitrary<RequestInput> = fc.oneof(
  fc.constantFrom<RequestInput>(
    { type: 'policy', policy: 'ask' },
    { type: 'policy', policy: 'allow' },
    { type: 'policy', policy: 'reject' },
    { type: 'cancelled', who: 'owner' },
    { type: 'timed_out' },
    { type: 'withdrawn' },
    { type: 'written' },
    { type: 'gone' },
  ),
  fc
    .record({
      channelId: fc.constantFrom('ch', 'other'),
      requestNonce: fc.constantFrom('n1', 'n2'),
      requestSha256: fc.constantFrom('a'.repeat(64), 'b'.repeat(64), undefined),
      optionId: fc.constantFrom('yes', 'always', 'no', 'odd', 'nope'),
      confirmed: fc.boolean(),
    })
    .map((over) => decided(over)),
  fc
    .record({
      action: fc.constantFrom('accept' as const, 'decline' as const, 'cancel' as const),
      content: fc.constantFrom({ x: 'y' }, { x: 1 }, undefined),
      requestNonce: fc.constantFrom('n1', 'n2'),
    })
    .map(({ action, content, requestNonce }) => filled(action, content, { requestNonce })),
);

describe('permission requests', () => {
  test('HA19: whatever races, a request gets one answer at most, and one last word after it', () => {
    fc.assert(
      fc.property(fc.constantFrom(request, form), fc.array(anyInput, { maxLength: 30 }), (of, inputs) => {
        const { effects } = run([...inputs, { type: 'gone' }], of);
        expect(effects.filter(({ type }) => type === 'answer').length).toBeLessThanOrEqual(1);
        expect(effects.filter(({ type }) => type === 'terminal').length).toBe(1);
        expect(effects.at(-1)?.type).toBe('terminal');
      }),
    );
  });

  test('HA20: no wrong nonce, channel, hash or option ever writes anything', () => {
    const wrong: fc.Arbitrary<RequestInput> = fc.constantFrom(
      decided({ requestNonce: 'n2' }),
      decided({ channelId: 'other' }),
      decided({ requestSha256: 'b'.repeat(64) }),
      decided({ optionId: 'nope' }),
      decided({ optionId: 'always' }),
    );
    fc.assert(
      fc.property(fc.array(wrong, { maxLength: 20 }), (inputs) => {
        const { effects, verdicts, state } = run(inputs);
        expect(effects).toEqual([]);
        expect(state).toEqual({ phase: 'pending' });
        for (const verdict of verdicts) expect(['unknown', 'invalid_option']).toContain(verdict);
      }),
    );
  });

  test('HA20: every offered kind can be chosen and is passed back as it was; allow_always only with confirm', () => {
    for (const { optionId } of options) {
      const { effects } = run([decided({ optionId, confirmed: true })]);
      const text = effects[0]?.type === 'answer' ? effects[0].text : '';
      expect(text).toBe(
        `{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"${optionId}"}}}`,
      );
    }
  });

  test('HA20: who can not see the whole request may only reject', () => {
    const blind = { ...request, actionable: false };
    for (const optionId of ['yes', 'always', 'odd']) {
      expect(run([decided({ optionId, confirmed: true })], blind).verdicts).toEqual(['invalid_option']);
    }
    expect(run([decided({ optionId: 'no' })], blind).effects).toHaveLength(1);
  });

  test('HA21: allow takes the first allow_once and nothing else; without one the owner is asked', () => {
    const { effects } = run([{ type: 'policy', policy: 'allow' }, { type: 'written' }]);
    expect(effects[0]).toMatchObject({
      type: 'answer',
      via: 'policy',
      text: expect.stringContaining('"optionId":"yes"'),
    });
    expect(effects[1]).toMatchObject({
      type: 'terminal',
      payload: { reason: 'allowed', optionId: 'yes', decidedBy: { who: 'policy', rule: 'permissions=allow' } },
    });
    const without = { ...request, ...readPermission({ options: options.filter(({ kind }) => kind !== 'allow_once') }) };
    expect(run([{ type: 'policy', policy: 'allow' }], without).state).toEqual({ phase: 'pending' });
  });

  test('HA21: reject takes the first reject_once, else answers cancelled; never an unknown kind', () => {
    const { effects } = run([{ type: 'policy', policy: 'reject' }]);
    expect(effects[0]).toMatchObject({ text: expect.stringContaining('"optionId":"no"') });
    const without = { ...request, ...readPermission({ options: [{ optionId: 'odd', kind: 'reject_everything' }] }) };
    expect(run([{ type: 'policy', policy: 'reject' }], without).effects[0]).toMatchObject({
      text: '{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"cancelled"}}}',
    });
  });

  test('HA19: a late decision hears that it was late', () => {
    expect(run([decided(), decided({ optionId: 'no' })]).verdicts).toEqual([undefined, 'already_decided']);
    expect(run([decided(), { type: 'written' }, decided()]).verdicts).toEqual([
      undefined,
      undefined,
      'already_decided',
    ]);
  });

  test('HA20: options are read as far as they can be used', () => {
    expect(readOptions({ options: [null, 3, { optionId: 4 }, { optionId: 'x' }] })).toEqual([{ optionId: 'x' }]);
    expect(readOptions({ options: 'none' })).toEqual([]);
    expect(readOptions(null)).toEqual([]);
  });

  test('HA151: a form takes what fits it and nothing else; no answer to a permission fits a form, nor the other way round', () => {
    const wrong: [RequestInput, string][] = [
      [filled('accept'), 'invalid_option'],
      [filled('accept', { x: 1 }), 'invalid_option'],
      [filled('accept', { x: 'y', z: 1 }), 'invalid_option'],
      [filled('decline', { x: 'y' }), 'invalid_option'],
      [filled('accept', { x: 'y' }, { requestSha256: 'b'.repeat(64) }), 'unknown'],
      [filled('accept', { x: 'y' }, { channelId: null }), 'unknown'],
      [decided(), 'unknown'],
    ];
    for (const [input, status] of wrong) {
      const { effects, verdicts } = run([input], form);
      expect([effects, verdicts]).toEqual([[], [status]]);
    }
    expect(run([filled('accept', { x: 'y' })]).verdicts).toEqual(['unknown']);
    expect(run([filled('accept', { x: 'y' })], form).effects).toEqual([
      {
        type: 'answer',
        text: '{"jsonrpc":"2.0","id":0,"result":{"action":"accept","content":{"x":"y"}}}',
        via: 'owner',
      },
    ]);
  });

  test('HA153: a policy never fills a form in; reject declines it', () => {
    expect(run([{ type: 'policy', policy: 'allow' }], form)).toMatchObject({
      state: { phase: 'pending' },
      effects: [],
    });
    expect(run([{ type: 'policy', policy: 'reject' }], form).effects).toEqual([
      { type: 'answer', text: '{"jsonrpc":"2.0","id":0,"result":{"action":"decline"}}', via: 'policy' },
    ]);
  });

  test('HA154: a form that is too large, or of a mode nobody knows, can only be declined or cancelled', () => {
    const properties = (count: number, of: object) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, of]));
    for (const params of [
      { requestedSchema: { properties: properties(65, { type: 'boolean' }) } },
      { requestedSchema: { properties: properties(64, { type: 'string', description: 'x'.repeat(1_100) }) } },
      { mode: 'hologram' },
    ]) {
      const { ask, isBounded } = readElicitation(params);
      expect(isBounded).toBe(false);
      const blind = { ...form, ask, actionable: isBounded };
      expect(run([filled('accept', {})], blind).verdicts).toEqual(['invalid_option']);
      expect(run([filled('decline')], blind).effects).toHaveLength(1);
    }
    expect(readElicitation(null).isBounded).toBe(true);
  });
});
