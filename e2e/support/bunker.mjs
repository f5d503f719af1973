// A remote signer (NIP-46) of another make: nostr-tools below, and what its owner says on stdin.
//   node bunker.mjs KEY_FILE RELAY [NOSTRCONNECT_LINK_FILE]
// Prints its bunker:// address, then a line for each request. stdin: `allow`, `refuse`, `silent`, `slow MS`.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { finalizeEvent, generateSecretKey, getPublicKey, nip19, nip44 } from 'nostr-tools';
import { Relay, useWebSocketImplementation } from 'nostr-tools/relay';
import WebSocket from 'ws';

useWebSocketImplementation(WebSocket);
const [keyFile, url, linkFile] = process.argv.slice(2);
const user = nip19.decode(readFileSync(keyFile, 'utf8').trim()).data;
// The signer's own end of the conversation: the relay lets the owner's key in.
const own = user;
const secret = Buffer.from(generateSecretKey()).toString('hex').slice(0, 16);
let mode = 'allow';
let slowMs = 0;
let isHeard = false;
createInterface({ input: process.stdin }).on('line', (line) => {
  [mode] = line.split(' ');
  slowMs = mode === 'slow' ? Number(line.split(' ')[1]) : 0;
});

const relay = await Relay.connect(url);
relay.onauth = async (template) => finalizeEvent(template, own);

async function answer(to, message) {
  const content = nip44.encrypt(JSON.stringify(message), nip44.getConversationKey(own, to));
  const template = { kind: 24_133, created_at: Math.floor(Date.now() / 1_000), tags: [['p', to]], content };
  await relay.publish(finalizeEvent(template, own)).catch(() => undefined);
}

function carryOut(method, params) {
  const key = (peer) => nip44.getConversationKey(user, peer);
  switch (method) {
    case 'connect':
      if (params[1] !== secret) throw new Error('wrong secret');
      return 'ack';
    case 'get_public_key':
      return getPublicKey(user);
    case 'sign_event':
      return JSON.stringify(finalizeEvent(JSON.parse(params[0]), user));
    case 'nip44_encrypt':
      return nip44.encrypt(params[1], key(params[0]));
    case 'nip44_decrypt':
      return nip44.decrypt(params[1], key(params[0]));
    default:
      throw new Error(`no such method: ${method}`);
  }
}

async function receive(event) {
  const { id, method, params } = JSON.parse(nip44.decrypt(event.content, nip44.getConversationKey(own, event.pubkey)));
  console.log(JSON.stringify({ asked: method }));
  isHeard = true;
  if (mode === 'silent') return;
  if (mode === 'refuse') return answer(event.pubkey, { id, result: '', error: 'denied by its owner' });
  if (slowMs > 0) await new Promise((resolve) => setTimeout(resolve, slowMs));
  try {
    await answer(event.pubkey, { id, result: carryOut(method, params) });
  } catch (cause) {
    await answer(event.pubkey, { id, result: '', error: cause.message });
  }
}

// One at a time, as a person's device does.
let work = Promise.resolve();
const listen = () =>
  relay.subscribe([{ kinds: [24_133], '#p': [getPublicKey(own)], limit: 0 }], {
    onevent: (event) => {
      work = work.then(() => receive(event)).catch(() => undefined);
    },
    onclose: (reason) => {
      if (reason.startsWith('auth-required')) void relay.auth(relay.onauth).then(listen);
    },
    oneose: () =>
      console.log(
        JSON.stringify({ ready: `bunker://${getPublicKey(own)}?relay=${encodeURIComponent(url)}&secret=${secret}` }),
      ),
  });
listen();
if (linkFile !== undefined) {
  const link = readFileSync(linkFile, 'utf8').trim();
  const [, client] = /^nostrconnect:\/\/([0-9a-f]{64})/.exec(link);
  const hello = { id: 'hello', result: new URLSearchParams(link.split('?')[1]).get('secret') };
  // Said until it is heard: who is to hear it may be let in later.
  for (; !isHeard; await new Promise((resolve) => setTimeout(resolve, 500))) await answer(client, hello);
}
