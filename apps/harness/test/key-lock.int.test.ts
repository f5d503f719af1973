import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockKey } from '../src/key-lock.ts';
import { identityOf } from '../src/process-identity.ts';
import { isRunning } from './support/processes.ts';

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

  test('HA108: of many that find a dead holder at once at most one gets in', async () => {
    for (let round = 0; round < 60; round++) {
      const key = String(round).padStart(64, '0');
      writeFileSync(join(folder, `${key}.lock`), JSON.stringify({ pid: 4_000_000, started: 'x' }));
      const tries = await Promise.allSettled([1, 2, 3, 4].map(() => lockKey(key, folder)));
      expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
    expect(readdirSync(folder)).toHaveLength(60);
  });

  test('HA108: a folder that others can use, or that is a link to one, is refused by name', async () => {
    const link = join(folder, 'link');
    symlinkSync(folder, link);
    await expect(lockKey(KEY, link)).rejects.toThrow(link);
    chmodSync(folder, 0o770);
    await expect(lockKey(KEY, folder)).rejects.toThrow(folder);
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

  test('HA37: a process that ended and is never collected holds nothing', async () => {
    const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const pid = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)));
      writeFileSync(join(folder, `${KEY}.lock`), JSON.stringify(identityOf(pid)));
      await expect(lockKey(KEY, folder)).rejects.toMatchObject({ code: 'ELOCKED' });
      // By then its parent is one that collects nothing: the shell made itself a program that knows of no child.
      const isSleep = () => readFileSync(`/proc/${parent.pid}/comm`, 'utf8').trim() === 'sleep';
      await expect.poll(isSleep, { timeout: 20_000 }).toBe(true);
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => isRunning(pid), { timeout: 20_000 }).toBe(false);
      await (await lockKey(KEY, folder)).release();
    } finally {
      parent.kill('SIGKILL');
    }
  });
});
