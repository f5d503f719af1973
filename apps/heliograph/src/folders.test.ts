import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeFolder, makeNamedFolders } from './folders.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'heliograph-folders-'));
});
afterEach(() => rmSync(base, { recursive: true }));

test('CL20: folders that settings name are made, private, level by level', () => {
  makeNamedFolders({ HELIOGRAPH_HOME: 'a/b/c' }, base);
  expect(statSync(join(base, 'a/b/c')).mode & 0o777).toBe(0o700);
  makeNamedFolders({ XDG_STATE_HOME: join(base, 'state'), XDG_DATA_HOME: 'relative' }, base);
  expect(statSync(join(base, 'state/heliograph')).isDirectory()).toBe(true);
  makeFolder(join(base, 'a/b'), '--state');
});

test('CL20: a file in the way is named with the setting that leads there', () => {
  const file = join(base, 'file');
  writeFileSync(file, '');
  for (const home of [file, join(file, 'deeper', 'still')]) {
    expect(() => makeNamedFolders({ HELIOGRAPH_HOME: home }, base)).toThrow(
      `HELIOGRAPH_HOME: the folder ${home} can't be made: ${file} is not a folder.`,
    );
  }
  expect(() => makeNamedFolders({ XDG_DATA_HOME: file }, base)).toThrow(/^XDG_DATA_HOME: .* is not a folder/);
});

test.runIf(process.platform === 'linux')('CL20: a place that takes no folders is refused, not waited for', () => {
  expect(() => makeNamedFolders({ HELIOGRAPH_HOME: '/proc/nope/home' }, base)).toThrow(
    /^HELIOGRAPH_HOME: the folder \/proc\/nope\/home can't be made: \/proc\/nope was refused \(/,
  );
});
