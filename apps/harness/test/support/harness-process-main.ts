import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { startHarness } from '@heliograph/app-harness';
import type { ClientSocket } from '@heliograph/client';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import { type AuthTag, hexDecode, localSigner } from '@heliograph/wire';
import { systemSocket } from '../../src/clock.ts';

/** The program of `HarnessProcess`: one harness around a scripted agent, told by STAGE what to use. */
interface Told {
  readonly relay: string;
  readonly owner: string;
  readonly agentKey: string;
  readonly authTag: AuthTag;
  readonly cwd: string;
  readonly stateDir: string;
  readonly dieAtUuid: number;
  readonly script: string;
  readonly spoolBytes?: number;
  readonly sends?: string;
}

const told = JSON.parse(process.env.STAGE ?? '') as Told;
const { crypto } = selectNodeCrypto();
let uuids = 0;

/** The harness's own socket, with what it is handed written down. */
function openSocket(url: string): ClientSocket {
  const socket = systemSocket(url);
  const { send } = socket;
  socket.send = (text) => {
    const atMs = performance.timeOrigin + performance.now();
    send(text);
    appendFileSync(told.sends ?? '', `${atMs}\t${text}\n`);
  };
  return socket;
}

const { run, stream, channelId } = await startHarness({
  command: [process.execPath, new URL(`../../../../fixtures/agents/${told.script}`, import.meta.url).pathname],
  cwd: told.cwd,
  env: process.env,
  relays: [told.relay],
  signer: localSigner(hexDecode(told.agentKey), crypto),
  owner: told.owner,
  authTag: told.authTag,
  stateDir: told.stateDir,
  ...(told.spoolBytes !== undefined ? { spoolBytes: told.spoolBytes } : {}),
  ...(told.sends !== undefined ? { openSocket } : {}),
  permissions: 'ask',
  crypto,
  log: { debug() {}, info() {}, warn() {}, error() {} },
  version: '0.0.0-test',
  uuid: () => {
    uuids++;
    if (uuids === told.dieAtUuid) process.kill(process.pid, 'SIGKILL');
    return randomUUID();
  },
});
process.stdout.write(`${JSON.stringify({ run, stream, channelId })}\n`);
