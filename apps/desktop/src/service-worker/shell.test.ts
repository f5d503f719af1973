import { expect, test } from 'vitest';
import { handlingOf, type Shell } from './shell.ts';

const shell: Shell = {
  build: 'b1',
  files: { '': 'sha256-a', 'icon.svg': 'sha256-b', 'assets/index-1.js': 'sha256-c' },
};
const scope = 'https://relay.example.org/team/agents/';
const ask = (path: string, over: { method?: string; mode?: string } = {}) =>
  handlingOf({ method: 'GET', mode: 'cors', url: new URL(path, scope).href, ...over }, scope, shell);

test('PU2: the page and its own files are kept, below its folder only', () => {
  expect(ask('', { mode: 'navigate' })).toBe('page');
  expect(ask('index.html', { mode: 'navigate' })).toBe('page');
  expect(ask('#agent=1', { mode: 'navigate' })).toBe('page');
  expect(ask('icon.svg')).toBe('file');
  expect(ask('assets/index-1.js')).toBe('file');
  expect(ask('assets/rust-2.js')).toBe('file');
  expect(ask('/assets/index-1.js')).toBe('pass');
  expect(ask('/team/', { mode: 'navigate' })).toBe('pass');
  expect(ask('https://other.example.org/team/agents/icon.svg')).toBe('pass');
});

test('PU2: what could hold a key, a token or an event is never looked at', () => {
  for (const path of ['api/session', 'api/health', 'healthz', 'metrics', '', 'toString', 'assets/../api/session'])
    expect(ask(path), path).toBe('pass');
  expect(ask('icon.svg?token=1')).toBe('pass');
  expect(ask('assets/a/b.js')).toBe('pass');
  expect(ask('icon.svg', { method: 'POST' })).toBe('pass');
  expect(ask('', { mode: 'navigate', method: 'POST' })).toBe('pass');
  expect(ask('api/session', { mode: 'navigate' })).toBe('pass');
});
