import { randomUUID } from 'node:crypto';
import { startHarness } from '@heliograph/app-harness';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import { type AuthTag, hexDecode, localSigner } from '@heliograph/wire';

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
}

const told = JSON.parse(process.env.STAGE ?? '') as Told;
const { crypto } = selectNodeCrypto();
let uuids = 0;

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
