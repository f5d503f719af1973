import { nobleCrypto } from '@heliograph/crypto/noble';
import { err, localSigner, ok, type Result } from '@heliograph/wire';
import { expect, test } from 'vitest';
import {
  createRemoteSigner,
  type SignerFault,
  type SignerMethod,
  type SignerState,
  signerFault,
} from './remote-signer.ts';
import { FakeClock } from './testing/fake-clock.ts';

const KEY = localSigner(new Uint8Array(32).fill(7), nobleCrypto);
const PEER = localSigner(new Uint8Array(32).fill(8), nobleCrypto);
const TEMPLATE = { kind: 24_200, created_at: 1_800_000_000, tags: [['p', PEER.publicKey]], content: 'sealed' };

function world() {
  const clock = new FakeClock(1_800_000_000_000);
  const states: SignerState[] = [];
  const asked: SignerMethod[] = [];
  let answer: (method: SignerMethod, params: readonly string[]) => Promise<Result<string, SignerFault>> = async (
    method,
    params,
  ) => {
    const [first = '', second = ''] = params;
    if (method === 'sign_event') return ok(JSON.stringify(KEY.sign(JSON.parse(first))));
    if (method === 'nip44_encrypt') return ok(KEY.encrypt(first, second));
    const opened = KEY.decrypt(first, second);
    return opened.ok ? opened : err({ code: 'failed', message: opened.error.message });
  };
  const signer = createRemoteSigner({
    publicKey: KEY.publicKey,
    backend: {
      ask: (method, params) => {
        asked.push(method);
        return answer(method, params);
      },
    },
    crypto: nobleCrypto,
    clock,
    onState: (state) => states.push(state),
  });
  return {
    clock,
    states,
    asked,
    signer,
    answerWith: (next: typeof answer) => {
      answer = next;
    },
  };
}

test('PU25: signs, encrypts and opens by asking, and believes only a signature of this very event that holds', async () => {
  const { signer, answerWith, states } = world();
  expect(await signer.sign(TEMPLATE)).toMatchObject({ ...TEMPLATE, pubkey: KEY.publicKey });
  const sealed = await signer.encrypt(PEER.publicKey, 'hello');
  expect(PEER.decrypt(KEY.publicKey, sealed)).toEqual(ok('hello'));
  expect(await signer.decrypt(PEER.publicKey, PEER.encrypt(KEY.publicKey, 'back'))).toEqual(ok('back'));
  expect(states.at(-1)).toMatchObject({ phase: 'ready', isBehind: false });
  const others = [
    JSON.stringify(KEY.sign({ ...TEMPLATE, content: 'another' })),
    JSON.stringify(PEER.sign(TEMPLATE)),
    JSON.stringify({ ...KEY.sign(TEMPLATE), sig: '0'.repeat(128) }),
    '{}',
    'not json',
  ];
  for (const other of others) {
    answerWith(async () => ok(other));
    await expect(signer.sign(TEMPLATE)).rejects.toThrow('no signature');
  }
});

test('PU25: a refusal ends all asking until the owner says so; a frame that can’t be opened is no refusal', async () => {
  const { signer, answerWith, states, asked } = world();
  expect(await signer.decrypt(PEER.publicKey, 'garbage')).toMatchObject({ ok: false, error: { code: 'failed' } });
  expect(states.at(-1)?.phase).toBe('ready');
  answerWith(async () => err(signerFault('User rejected')));
  expect(await signer.decrypt(PEER.publicKey, 'x')).toMatchObject({ error: { code: 'refused' } });
  expect(states.at(-1)).toMatchObject({ phase: 'refused', message: 'User rejected' });
  const before = asked.length;
  await expect(signer.sign(TEMPLATE)).rejects.toThrow('refused before');
  expect(asked).toHaveLength(before);
  signer.retry();
  expect(states.at(-1)?.phase).toBe('ready');
  answerWith(async () => err({ code: 'away', message: 'no answer' }));
  await expect(signer.encrypt(PEER.publicKey, 'x')).rejects.toThrow('no answer');
  expect(states.at(-1)).toMatchObject({ phase: 'away', message: 'no answer' });
});

test('PU33: a late no to what was asked before a retry does not end what was asked since', async () => {
  const { signer, answerWith, states, asked } = world();
  let sayNo = () => {};
  answerWith(() => new Promise((resolve) => (sayNo = () => resolve(err(signerFault('User rejected'))))));
  const first = signer.decrypt(PEER.publicKey, 'x');
  answerWith(async () => err(signerFault('User rejected')));
  await signer.decrypt(PEER.publicKey, 'y');
  expect(states.at(-1)?.phase).toBe('refused');
  signer.retry();
  answerWith(async () => ok('opened'));
  sayNo();
  expect(await first).toMatchObject({ error: { code: 'refused' } });
  expect(states.at(-1)?.phase).toBe('ready');
  const before = asked.length;
  expect(await signer.decrypt(PEER.publicKey, 'z')).toEqual(ok('opened'));
  expect(asked).toHaveLength(before + 1);
});

test('PU25: one that does not answer for three seconds may be asking its owner, and that is told', async () => {
  const { signer, answerWith, states, clock } = world();
  let answer: (value: Result<string, SignerFault>) => void = () => {};
  answerWith(() => new Promise((resolve) => (answer = resolve)));
  const opening = signer.decrypt(PEER.publicKey, 'x');
  await clock.advance(2_999);
  expect(states).toEqual([]);
  await clock.advance(1);
  expect(states.at(-1)?.phase).toBe('waiting');
  answer(ok('text'));
  expect(await opening).toEqual(ok('text'));
  expect(states.at(-1)?.phase).toBe('ready');
});

test('PU25: without a pause for ten seconds it is behind, at the pace it has; after a pause it is not', async () => {
  const { signer, answerWith, states, clock } = world();
  answerWith(async () => {
    await clock.advance(250);
    return ok('text');
  });
  for (let i = 0; i < 39; i++) await signer.decrypt(PEER.publicKey, 'x');
  expect(states.at(-1)?.isBehind).toBe(false);
  await signer.decrypt(PEER.publicKey, 'x');
  expect(states.at(-1)).toMatchObject({ phase: 'ready', isBehind: true, perSecond: 4 });
  await clock.advance(1_000);
  await signer.decrypt(PEER.publicKey, 'x');
  expect(states.at(-1)?.isBehind).toBe(false);
});
