import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findCommand } from './find-command.ts';
import { agentTable, commandLine, installedAgents } from './known-agents.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'heliograph-path-'));
  writeFileSync(join(folder, 'gemini'), '#!/bin/sh\n');
  chmodSync(join(folder, 'gemini'), 0o755);
  writeFileSync(join(folder, 'goose'), 'not executable');
  mkdirSync(join(folder, 'opencode'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('CL10: a command is found as a shell finds it: on PATH, or by its path from the folder; only programs count', () => {
  const env = { PATH: `/nowhere:${folder}` };
  expect(findCommand('gemini', env, '/')).toBe(join(folder, 'gemini'));
  expect(findCommand('./gemini', {}, folder)).toBe(join(folder, 'gemini'));
  expect(findCommand('goose', env, '/')).toBeUndefined();
  expect(findCommand('opencode', env, '/')).toBeUndefined();
});

test('CL10: the table names each agent, its command, and whether it is here or how to install it', () => {
  const env = { PATH: folder };
  expect(installedAgents(env).map(({ name }) => name)).toEqual(['gemini']);
  const lines = agentTable(env).split('\n');
  expect(lines).toHaveLength(9);
  expect(lines[0]).toMatch(/^ {2}goose +goose acp +https:/);
  expect(lines[3]).toMatch(/^ {2}gemini +gemini --acp +found on PATH$/);
});

test('CL10: a command is shown as it would be typed', () => {
  expect(commandLine(['gemini', '--acp'])).toBe('gemini --acp');
  expect(commandLine(['my agent', "it's", '$X'])).toBe(`'my agent' 'it'\\''s' '$X'`);
});
