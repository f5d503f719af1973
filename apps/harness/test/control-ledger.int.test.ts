import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import { localSigner } from '@heliograph/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ControlLedger } from '../src/control/control-ledger.ts';
import { ManualClock } from './support/manual-clock.ts';

const { crypto } = selectNodeCrypto();
const signer = localSigner(new Uint8Array(32).fill(1), crypto);
const owner = localSigner(new Uint8Array(32).fill(2), crypto).publicKey;

let folder: string;
let clock: ManualClock;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'heliograph-ledger-'));
  clock = new ManualClock();
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});
const open = () => ControlLedger.open({ stateDir: join(folder, 'state'), clock, signer, owner });
const path = () => join(folder, 'state', 'controls.jsonl');

describe('the ledger of controls', () => {
  test('HA28: what was answered is answered alike after a restart; what was only begun is uncertain', async () => {
    const first = await open();
    await first.begin('a');
    await first.finish('a', { type: 'prompt', requestId: 'a', status: 'accepted' });
    await first.finish('a', { type: 'prompt', requestId: 'a', status: 'done' });
    await first.begin('b');
    expect(first.known('b')).toEqual({ phase: 'underway' });
    expect(first.known('c')).toBeUndefined();
    // No orderly close: a second reader sees what a crash would have left.
    const second = await open();
    expect(second.known('a')).toEqual({
      phase: 'answered',
      result: { type: 'prompt', requestId: 'a', status: 'done' },
    });
    expect(second.known('b')).toEqual({ phase: 'uncertain' });
    await first.close();
    await second.close();
    const third = await open();
    expect(third.known('b')).toEqual({ phase: 'uncertain' });
    await third.close();
  });

  test('HA28: it is on disk when begin resolves, for the owner of the files only, and results are ciphertext', async () => {
    const ledger = await open();
    await ledger.begin('a');
    expect(readFileSync(path(), 'utf8')).toContain('"id":"a"');
    await ledger.finish('a', { type: 'prompt', status: 'applied', reason: 'a canary' });
    expect(readFileSync(path(), 'utf8')).not.toContain('canary');
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'state')).mode & 0o777).toBe(0o700);
    await ledger.close();
  });

  test('HA28: remembered for 24 hours and not longer', async () => {
    const ledger = await open();
    await ledger.begin('a');
    await ledger.close();
    clock.advance(24 * 3_600_000);
    const next = await open();
    expect(next.known('a')).toEqual({ phase: 'uncertain' });
    await next.close();
    clock.advance(1);
    const last = await open();
    expect(last.known('a')).toBeUndefined();
    await last.close();
    expect(readFileSync(path(), 'utf8')).toBe('');
  });

  test('HA28: a line that a crash cut short, and lines that are none, harm nothing', async () => {
    const ledger = await open();
    await ledger.begin('a');
    await ledger.close();
    appendFileSync(path(), 'null\n{"id":5}\n{"id":"x","atMs":1,"result":3}\n{"id":"b","atM');
    const next = await open();
    expect(next.known('a')).toEqual({ phase: 'uncertain' });
    expect(next.known('b')).toBeUndefined();
    await next.begin('c');
    await next.close();
    const last = await open();
    expect(last.known('c')).toEqual({ phase: 'uncertain' });
    await last.close();
  });

  test('HA28: a result that can not be read any more is uncertain', async () => {
    const ledger = await open();
    await ledger.close();
    writeFileSync(path(), `{"id":"a","atMs":${clock.nowMs()},"result":"not a ciphertext"}\n`);
    const next = await open();
    expect(next.known('a')).toEqual({ phase: 'uncertain' });
    await next.close();
  });
});
