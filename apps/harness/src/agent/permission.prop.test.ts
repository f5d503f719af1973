import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type PermissionEffect,
  type PermissionInput,
  type PermissionRequest,
  type PermissionState,
  readOptions,
  stepPermission,
} from './permission.ts';

const request: PermissionRequest = {
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
  options: [
    { optionId: 'yes', kind: 'allow_once' },
    { optionId: 'always', kind: 'allow_always' },
    { optionId: 'no', kind: 'reject_once' },
    { optionId: 'odd', kind: 'allow_everything' },
  ],
};

const decided = (over: Partial<Extract<PermissionInput, { type: 'decided' }>> = {}): PermissionInput => ({
  type: 'decided',
  channelId: 'ch',
  requestNonce: 'n1',
  requestSha256: 'a'.repeat(64),
  optionId: 'yes',
  confirmed: false,
  ...over,
});

function run(inputs: readonly PermissionInput[], of = request) {
  let state: PermissionState = { phase: 'pending' };
  const effects: PermissionEffect[] = [];
  const verdicts: unknown[] = [];
  for (const input of inputs) {
    const step = stepPermission(of, state, input);
    state = step.state;
    effects.push(...step.effects);
    verdicts.push(step.verdict);
  }
  return { state, effects, verdicts };
}

const anyInput: fc.Arbitrary<PermissionInput> = fc.oneof(
  fc.constantFrom<PermissionInput>(
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
);

describe('permission requests', () => {
  test('HA19: whatever races, a request gets one answer at most, and one last word after it', () => {
    fc.assert(
      fc.property(fc.array(anyInput, { maxLength: 30 }), (inputs) => {
        const { effects } = run([...inputs, { type: 'gone' }]);
        expect(effects.filter(({ type }) => type === 'answer').length).toBeLessThanOrEqual(1);
        expect(effects.filter(({ type }) => type === 'terminal').length).toBe(1);
        expect(effects.at(-1)?.type).toBe('terminal');
      }),
    );
  });

  test('HA20: no wrong nonce, channel, hash or option ever writes anything', () => {
    const wrong: fc.Arbitrary<PermissionInput> = fc.constantFrom(
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
    for (const { optionId } of request.options) {
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
    const without = { ...request, options: request.options.filter(({ kind }) => kind !== 'allow_once') };
    expect(run([{ type: 'policy', policy: 'allow' }], without).state).toEqual({ phase: 'pending' });
  });

  test('HA21: reject takes the first reject_once, else answers cancelled; never an unknown kind', () => {
    const { effects } = run([{ type: 'policy', policy: 'reject' }]);
    expect(effects[0]).toMatchObject({ text: expect.stringContaining('"optionId":"no"') });
    const without = { ...request, options: [{ optionId: 'odd', kind: 'reject_everything' }] };
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
});
