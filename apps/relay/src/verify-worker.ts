// A thread that checks signatures for a VerifyPool and does nothing else; it holds no key and no event.
import { parentPort } from 'node:worker_threads';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import { CHECK_BYTES, type VerifyDone, type VerifyJob, type VerifyLoaded } from './verify-job.ts';

const { crypto } = selectNodeCrypto();
const loaded: VerifyLoaded = 'loaded';
parentPort?.postMessage(loaded);

parentPort?.on('message', ({ id, checks }: VerifyJob) => {
  const holds = new Uint8Array(checks.length / CHECK_BYTES);
  for (let n = 0; n < holds.length; n++) {
    const check = checks.subarray(n * CHECK_BYTES, (n + 1) * CHECK_BYTES);
    holds[n] = crypto.schnorrVerify(check.subarray(0, 64), check.subarray(64, 96), check.subarray(96)) ? 1 : 0;
  }
  const done: VerifyDone = { id, holds };
  parentPort?.postMessage(done, [holds.buffer]);
});
