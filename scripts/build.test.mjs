import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashSources } from './build.mjs';

let root;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'heliograph-build-'));
  mkdirSync(join(root, 'src'));
  writeFileSync(join(root, 'src', 'a.ts'), 'one');
});
afterEach(() => rmSync(root, { recursive: true }));

test('IN5: a bundle is built anew when a source changes, comes or goes, and not for tests or other folders', () => {
  const hash = () => hashSources(root, ['src', 'lock.json', 'absent']);
  const before = hash();
  writeFileSync(join(root, 'src', 'a.test.ts'), 'a test');
  writeFileSync(join(root, 'other.ts'), 'elsewhere');
  expect(hash()).toBe(before);
  writeFileSync(join(root, 'src', 'b.ts'), '');
  expect(hash()).not.toBe(before);
  rmSync(join(root, 'src', 'b.ts'));
  expect(hash()).toBe(before);
  writeFileSync(join(root, 'src', 'a.ts'), 'two');
  expect(hash()).not.toBe(before);
});
