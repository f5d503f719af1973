// A relay in a process of its own, with a client in it that publishes small events as fast as they are acknowledged, and
// prints each acknowledged id. The one who started it kills it at any moment.
import { writeSync } from 'node:fs';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import { authTemplate, encodeMessage, eventSigner } from '@heliograph/wire';
import { WebSocket } from 'ws';
import { startRelay } from '../../src/index.ts';

const { crypto } = selectNodeCrypto();
const key = eventSigner(new Uint8Array(32).fill(1), crypto);
const quiet = (): void => undefined;
const { url } = await startRelay({
  host: '127.0.0.1',
  port: 0,
  dataDir: process.argv[2] ?? '',
  owners: [key.publicKey],
  crypto,
  log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  limits: { eventsPerSec: 1e9, eventBurst: 1e9 },
});

const socket = new WebSocket(url);
const createdAtSec = (): number => Math.floor(Date.now() / 1_000);
let isIn = false;
const publish = (): void => {
  const event = key.sign({ kind: 1, created_at: createdAtSec(), tags: [['t', 'kill']], content: `${Math.random()}` });
  socket.send(encodeMessage(['EVENT', event]));
};
socket.on('message', (data) => {
  const message = JSON.parse(data.toString()) as [string, string, boolean];
  if (message[0] === 'AUTH') {
    const answer = authTemplate({ relayUrl: url, challenge: message[1], createdAtSec: createdAtSec() });
    socket.send(encodeMessage(['AUTH', key.sign(answer)]));
  } else if (message[0] === 'OK' && !isIn) {
    isIn = true;
    for (let n = 0; n < 8; n++) publish();
  } else if (message[0] === 'OK' && message[2]) {
    writeSync(1, `${message[1]}\n`);
    publish();
  }
});
