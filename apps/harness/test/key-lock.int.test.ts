import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockKey } from '../src/key-lock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'heliograph-lock-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});
const KEY = 'a'.repeat(64);

describe('the lock of a key', () => {
  test('HA37: held once, free after release, and leaves no files', async () => {
    const lock = await lockKey(KEY, folder);
    await expect(lockKey(KEY, folder)).rejects.toMatchObject({ code: 'ELOCKED' });
    const other = await lockKey('b'.repeat(64), folder);
    await lock.release();
    await other.release();
    expect(readdirSync(folder)).toEqual([]);
    await (await lockKey(KEY, folder)).release();
  });

  test('HA37: of many that want it at once one gets it', async () => {
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lockKey(KEY, folder)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('HA37: a process that is gone, or whose number another has now, holds nothing', async () => {
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    for (const text of [
      JSON.stringify({ pid: gone, started: '' }),
      JSON.stringify({ pid: process.pid, started: 'another life' }),
      'no lock of ours',
      '',
    ]) {
      writeFileSync(join(folder, `${KEY}.lock`), text);
      await (await lockKey(KEY, folder)).release();
    }
  });
});
