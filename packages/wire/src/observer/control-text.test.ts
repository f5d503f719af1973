import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Control } from './control.ts';
import { encodeControl, parseControl } from './control-text.ts';

const base = { requestId: '0b6c2f0e-0000-4000-8000-00000000000a', issuedAt: '2026-11-30T09:20:03.123Z', run: 'r' };
const controls: Control[] = [
  { ...base, type: 'cancel_turn', channelId: 'c', turnId: 't', force: true },
  { type: 'cancel_turn', channelId: 'c' },
  { ...base, type: 'prompt', channelId: 'c', content: [{ type: 'text', text: 'hi', extra: 1 }], mode: 'queue' },
  {
    ...base,
    type: 'permission_decision',
    channelId: 'c',
    requestNonce: 'n',
    requestSha256: 'a'.repeat(64),
    optionId: '',
    confirm: true,
  },
  {
    requestId: base.requestId,
    issuedAt: base.issuedAt,
    type: 'hello',
    viewer: 'v',
    features: ['x'],
    have: [{ stream: 's', seq: 0 }],
  },
  { ...base, type: 'replay', stream: 's', fromSeq: 1, toSeq: 9 },
  { ...base, type: 'switch_model', channelId: 'c', modelId: 'm' },
  { ...base, type: 'set_mode', channelId: 'c', modeId: 'm' },
  { ...base, type: 'set_config_option', channelId: 'c', configId: 'o', value: false },
  { ...base, type: 'restart_agent' },
  { ...base, type: 'set_policy', policy: 'reject' },
  { ...base, type: 'set_policy', channelId: 'c', policy: 'inherit', persist: true },
  {
    ...base,
    type: 'set_policy',
    channelId: 'c',
    rules: [{ decide: 'allow', kind: ['read'], path: '/w/**' }],
    persist: true,
  },
  { ...base, type: 'new_session', channelId: base.requestId, cwd: '/w' },
  { ...base, type: 'load_session', channelId: base.requestId, sessionId: 's', viewer: 'phone' },
  { ...base, type: 'close_session', channelId: 'c' },
  { ...base, type: 'set_auth', tag: ['auth', 'a'.repeat(64), '', 'b'.repeat(128)] },
  { ...base, type: 'unqueue', channelId: 'c', promptRequestId: 'p' },
  { ...base, type: 'replace_queued', channelId: 'c', promptRequestId: 'p', content: [{ type: 'text', text: 'x' }] },
];

describe('controls', () => {
  it('CT1: read back as they were written', () => {
    for (const control of controls) expect(parseControl(encodeControl(control))).toEqual({ ok: true, value: control });
  });

  it('CT2: ignore members of the future', () => {
    expect(parseControl(JSON.stringify({ ...controls[5], more: true }))).toEqual({ ok: true, value: controls[5] });
  });

  it.each([
    { policy: undefined },
    { policy: 'maybe' },
    { rules: [{ decide: 'allow', kind: 'shout' }] },
    { rules: {} },
    { persist: 'yes' },
    { policy: 'inherit' },
    { policy: 'inherit', channelId: 'c', rules: [] },
  ])('CT3, HA89: a policy with %j is refused', (change) => {
    const said = { ...base, type: 'set_policy', policy: 'allow', ...change };
    expect(parseControl(JSON.stringify(said))).toMatchObject({
      ok: false,
      error: { code: 'malformed', type: 'set_policy' },
    });
  });

  it('CT3: with a wrong member say which, and can still be answered', () => {
    const bad = (change: object) => parseControl(JSON.stringify({ ...controls[3], ...change }));
    expect(bad({ optionId: 7 })).toMatchObject({
      error: {
        code: 'malformed',
        type: 'permission_decision',
        requestId: base.requestId,
        message: expect.stringContaining('optionId'),
      },
    });
    for (const change of [
      { channelId: 1 },
      { requestSha256: 'x' },
      { confirm: 'yes' },
      { issuedAt: 'now' },
      { run: 1 },
    ]) {
      expect(bad(change)).toMatchObject({ error: { code: 'malformed' } });
    }
    expect(bad({ requestId: 'x' })).toMatchObject({ error: { code: 'malformed' } });
    const have = Array.from({ length: 257 }, () => ({ stream: 's', seq: 1 }));
    expect(parseControl(JSON.stringify({ ...controls[4], have }))).toMatchObject({ error: { code: 'malformed' } });
    expect(parseControl(JSON.stringify({ ...controls[2], content: [] }))).toMatchObject({
      error: { code: 'malformed' },
    });
    expect(parseControl(JSON.stringify({ ...controls[5], fromSeq: 0 }))).toMatchObject({
      error: { code: 'malformed' },
    });
  });

  it('CT4: of a type nobody knows here can be answered', () => {
    expect(parseControl(JSON.stringify({ ...base, type: 'dance' }))).toMatchObject({
      error: { code: 'unknown-type', type: 'dance', requestId: base.requestId },
    });
  });

  it('CT5: never make the reader throw', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void parseControl(text)));
    const mutated = fc.tuple(fc.constantFrom(...controls), fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(mutated, ([control, key, value]) => void parseControl(JSON.stringify({ ...control, [key]: value }))),
    );
  });
});
