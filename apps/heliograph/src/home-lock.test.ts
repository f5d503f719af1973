import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { takeHomeLock } from './home-lock.ts';

let file: string;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'heliograph-lock-'));
  file = join(folder, 'state', 'up.lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('CL12: a lock names its process and goes with release', () => {
  const lock = takeHomeLock(file);
  if (!('release' in lock)) throw new Error('held by nobody');
  expect(existsSync(file)).toBe(true);
  lock.release();
  expect(existsSync(file)).toBe(false);
});

test('CL12: one held by a living process stays', () => {
  takeHomeLock(file);
  writeFileSync(file, String(process.ppid));
  expect(takeHomeLock(file)).toEqual({ heldBy: process.ppid });
});

test('CL12: one is taken over when its process is gone or its number is from before the machine was started', () => {
  takeHomeLock(file);
  // Process ids end far below this one on every system.
  writeFileSync(file, '2000000000');
  expect(takeHomeLock(file)).toHaveProperty('release');
  writeFileSync(file, String(process.ppid));
  utimesSync(file, 1, 1);
  expect(takeHomeLock(file)).toHaveProperty('release');
});
