import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

const SECRET = 'sk-Canary5fQ81xVw3Zr7Lk2Tn9Pb4Hd6Jm';
/** No run of so many characters of it may be anywhere: half a secret has no shape. */
const TELLING = 10;
const pieces = Array.from({ length: SECRET.length - TELLING - 2 }, (_, at) => SECRET.slice(at + 3, at + 3 + TELLING));

function found(texts: readonly string[]): string[] {
  return texts.flatMap((text) => {
    const piece = pieces.find((one) => text.includes(one));
    return piece === undefined ? [] : [text.slice(Math.max(0, text.indexOf(piece) - 200), text.indexOf(piece) + 60)];
  });
}

test('HA221: a secret that an agent says wherever it may is in nothing a viewer gets, no log line, no sentence and no file', async () => {
  const script = new URL('../../../fixtures/agents/tells-secrets.mjs', import.meta.url).pathname;
  const command = [process.execPath, script, '--api-key', SECRET, `--token=${SECRET}`];
  const agentEnv = { AGENT_CANARY: SECRET, AGENT_FLAG: stage.file('flag') };
  const harness = await stage.harness({ command, agentEnv, maxLineBytes: 250_000 });
  const viewer = await stage.watch();
  viewer.prompt(harness.channelId, 'go');
  await viewer.until('the first exit', () => viewer.find('agent_exited'));
  // It is started once more and fails, with its command line and its last words in the sentence.
  viewer.prompt(harness.channelId, 'again');
  const ends = () => viewer.events(harness.stream).filter(({ kind }) => kind === 'turn_completed');
  await viewer.until('both ends', () => ends().length === 2);
  viewer.resync();
  await viewer.until('the start', () => viewer.find('agent_initialized'));
  const late = await stage.watch();
  await harness.close();

  const events = viewer.events();
  expect(events.filter(({ redacted }) => redacted !== undefined).length).toBeGreaterThanOrEqual(6);
  expect(events.some(({ kind, payload }) => kind === 'turn_error' && payload.includes('[redacted]'))).toBe(true);
  expect(found(events.map((event) => JSON.stringify(event)))).toEqual([]);
  expect(found([JSON.stringify(late.snapshot), JSON.stringify(viewer.usage)])).toEqual([]);
  expect(found([JSON.stringify(stage.logs)])).toEqual([]);
  expect(found([(await harness.closed).reason])).toEqual([]);
  const files = readdirSync(stage.folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(3);
  expect(found(files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1')))).toEqual([]);
});
