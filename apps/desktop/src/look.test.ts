// @vitest-environment happy-dom
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { applyLook, readLook, writeLook } from './look.ts';

afterEach(() => localStorage.clear());

test('DT133: a look is applied at once and read again, and what is kept is read out of anything', () => {
  const classes = () => [...document.documentElement.classList].sort();
  applyLook(readLook());
  expect([readLook(), classes()]).toEqual([{ theme: 'system', density: 'comfortable' }, []]);
  writeLook({ density: 'compact' });
  expect(writeLook({ theme: 'dark' })).toEqual({ theme: 'dark', density: 'compact' });
  expect(classes()).toEqual(['compact', 'dark']);
  expect(readLook()).toEqual({ theme: 'dark', density: 'compact' });
  localStorage.setItem('heliograph.density', '__proto__');
  writeLook({ theme: 'system' });
  expect(classes()).toEqual([]);
});

test('DT133: colours, sizes of letters and corners are named in one file; what moves asks first', () => {
  const folder = join(import.meta.dirname, 'styles');
  for (const name of readdirSync(folder)) {
    const css = readFileSync(join(folder, name), 'utf8');
    const moving = css.replaceAll(/@media \(prefers-reduced-motion: no-preference\) \{[\s\S]*?\n {2}\}/g, '');
    expect(moving, name).not.toMatch(/(?:animation|transition|(?<!over)scroll-behavior):/);
    if (name === 'tokens.css') continue;
    expect(css, name).not.toMatch(
      /oklch\(\d|#[0-9a-f]{3,8}\b|border-radius: (?:[3-9]|\d\d+)px|font-family: "|font-size: [\d.]+rem/,
    );
  }
});
