import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { takeProcessLock } from './process-lock.mjs';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'heliograph-lock-'));
  file = join(folder, 'state', 'up.lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

function take(): () => void {
  const lock = takeProcessLock(file);
  if (!('release' in lock)) throw new Error(`held by ${lock.heldBy}`);
  return lock.release;
}

test('CL12, IN4: a lock is held until it is released, and leaves nothing behind', () => {
  const release = take();
  expect(takeProcessLock(file)).toEqual({ heldBy: process.pid });
  release();
  expect(readdirSync(dirname(file))).toEqual([]);
});

test('CL12, IN4: a lock whose process is gone, or whose number another process has now, is taken over', () => {
  take();
  const own = readFileSync(file, 'utf8');
  // Process ids end far below this one on every system.
  const dead = [
    own.replace(/\d+/, '2000000000'),
    own.replace(/"started":".*"/, '"started":"long ago"'),
    'no lock of ours',
  ];
  for (const text of dead) {
    writeFileSync(file, text);
    take();
    expect(readFileSync(file, 'utf8')).toBe(own);
  }
});

test('CL12, IN4: one who died while clearing a dead lock does not block others', () => {
  take();
  const dead = readFileSync(file, 'utf8').replace(/\d+/, '2000000000');
  writeFileSync(file, dead);
  writeFileSync(`${file}.clearing`, dead);
  take();
});

test('CL12, IN4: a release removes no lock of another', () => {
  const release = take();
  writeFileSync(file, 'of another');
  release();
  expect(existsSync(file)).toBe(true);
});
