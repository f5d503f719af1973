import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addonCacheFile, ownHeaders } from './bootstrap/addon.mjs';
import { samePackages } from './bootstrap/install-stamp.mjs';
import { nodeVersionProblem } from './bootstrap/node-version.mjs';
import { withStartLock } from './bootstrap/start-lock.mjs';

test('IN1: a Node older than 20.19 is refused with a sentence that names both versions and the mend', () => {
  expect(nodeVersionProblem('20.19.0', '/n')).toBeUndefined();
  expect(nodeVersionProblem('22.1.0', '/n')).toBeUndefined();
  expect(nodeVersionProblem('20.18.3', '/n')).toMatch(
    /20\.19 or newer is needed, but \/n is 20\.18\.3\. Install .*nodejs\.org/,
  );
  expect(nodeVersionProblem('18.20.0', '/n')).toBeDefined();
});

test('CL24: the addon is built with the headers beside this Node when they are there', () => {
  const prefix = mkdtempSync(join(tmpdir(), 'heliograph-node-'));
  expect(ownHeaders(join(prefix, 'bin', 'node'))).toEqual({});
  mkdirSync(join(prefix, 'include', 'node'), { recursive: true });
  writeFileSync(join(prefix, 'include', 'node', 'node.h'), '');
  expect(ownHeaders(join(prefix, 'bin', 'node'))).toEqual({ npm_config_nodedir: prefix });
  rmSync(prefix, { recursive: true });
});

describe('IN2: an install by hand counts when it holds what the lock asks for on this platform', () => {
  const wanted = {
    '': { name: 'root' },
    'apps/a': { version: '1.0.0' },
    'node_modules/x': { version: '1.0.0', integrity: 'i' },
    'node_modules/foreign': { version: '1.0.0', integrity: 'f', os: ['win32'], optional: true },
    'node_modules/@us/a': { link: true, resolved: 'apps/a' },
  };
  const installed = {
    'apps/a': { version: '1.0.0' },
    'node_modules/x': { version: '1.0.0', integrity: 'i' },
    'node_modules/@us/a': { link: true, resolved: 'apps/a' },
  };

  test('IN2: the same packages', () => {
    expect(samePackages(wanted, installed, 'linux', 'x64')).toBe(true);
  });

  test('IN2: not with another version, a missing one, a left-over one, or on another platform', () => {
    const without = (name) => Object.fromEntries(Object.entries(installed).filter(([key]) => key !== name));
    const other = { ...installed, 'node_modules/x': { version: '1.0.1', integrity: 'j' } };
    expect(samePackages(wanted, other, 'linux', 'x64')).toBe(false);
    expect(samePackages(wanted, without('node_modules/x'), 'linux', 'x64')).toBe(false);
    expect(samePackages(wanted, without('node_modules/@us/a'), 'linux', 'x64')).toBe(false);
    expect(samePackages(wanted, { ...installed, 'node_modules/y': { version: '1.0.0' } }, 'linux', 'x64')).toBe(false);
    expect(samePackages(wanted, installed, 'win32', 'x64')).toBe(false);
  });
});

test('IN3: the built addon is kept in the user cache, apart for each version, ABI, platform, processor and C library', () => {
  const parts = { version: '12.0.0', abi: '115', platform: 'linux', arch: 'x64', libc: 'glibc', home: '/h' };
  expect(addonCacheFile({ ...parts, env: {} })).toBe(
    '/h/.cache/heliograph/addons/better-sqlite3-12.0.0-abi115-linux-x64-glibc.node',
  );
  expect(addonCacheFile({ ...parts, env: { XDG_CACHE_HOME: '/c' }, libc: undefined })).toBe(
    '/c/heliograph/addons/better-sqlite3-12.0.0-abi115-linux-x64.node',
  );
});

describe('IN4: one start prepares the checkout at a time', () => {
  let folder;
  let lock;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'heliograph-lock-'));
    lock = join(folder, 'deeper', 'start.lock');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('IN4: the second waits until the first is done, and says so once', async () => {
    const order = [];
    const said = [];
    let finishFirst;
    const firstHolds = new Promise((resolve) => {
      finishFirst = resolve;
    });
    const first = withStartLock(
      lock,
      () => {},
      async () => {
        order.push('first');
        await firstHolds;
        order.push('first done');
      },
    );
    const second = withStartLock(
      lock,
      (line) => finishFirst(said.push(line)),
      async () => order.push('second'),
    );
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'first done', 'second']);
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(`process ${process.pid}`);
  });
});
