import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ArchiveAsker } from '../src/index.ts';
import { keepArchive, madeLines, ownerSecret } from './support/kept-archive.ts';

const folder = mkdtempSync(join(tmpdir(), 'heliograph-asking-'));
const cache = join(import.meta.dirname, '..', 'node_modules', '.cache');
const workerFile = join(cache, `ask-worker-${process.pid}.mjs`);
beforeAll(async () => {
  mkdirSync(cache, { recursive: true });
  await build({
    entryPoints: [join(import.meta.dirname, '..', 'src', 'asking', 'ask-worker.ts')],
    outfile: workerFile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['better-sqlite3', 'koffi', 'tiny-secp256k1'],
  });
});
afterAll(() => {
  rmSync(workerFile, { force: true });
  rmSync(folder, { recursive: true, force: true });
});

const says = (text: string) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
const search = (file: string, text: string) => ({ ask: 'search', file, query: { text, limit: 9 } }) as const;

/** A thread that never answers a question with "stuck" in it. */
function stubbornWorker(): string {
  const file = join(folder, 'stubborn.mjs');
  const text = `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ asked }) => {
      while (asked.file === 'stuck') Math.random();
      parentPort.postMessage({ ok: true, value: [] });
    });`;
  writeFileSync(file, text);
  return file;
}

it('AR107: an archive is asked beside whoever asks: what lies there, what is found, and a session page by page', async () => {
  const file = join(folder, 'open.db');
  await keepArchive(file, [madeLines([says('the wolpertinger is in the cellar')])]);
  const asker = new ArchiveAsker({ workerFile });
  const [shown, found, none] = await Promise.all([
    asker.ask({ ask: 'shown', file }),
    asker.ask(search(file, 'wolpertinger')),
    asker.ask(search(join(folder, 'none.db'), 'wolpertinger')),
  ]);
  expect(shown).toMatchObject({ ok: true, value: { sessions: 1, atRest: 'open' } });
  expect(found).toMatchObject({ ok: true, value: [{ kind: 'agent', excerpt: 'the wolpertinger is in the cellar' }] });
  expect(none).toMatchObject({ ok: false, error: { message: expect.stringContaining('there is no archive') } });
  const page = await asker.ask({ ask: 'lines', file, session: 1, limit: 3 });
  if (!page.ok) throw new Error(page.error.message);
  expect(page.value.lines.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  const next = await asker.ask({ ask: 'lines', file, session: 1, after: page.value.after, limit: 100 });
  expect(next).toMatchObject({ ok: true, value: { after: undefined } });
  await asker.close();
  expect(await asker.ask({ ask: 'shown', file })).toMatchObject({ ok: false });
});

it('AR107: a question that takes too long, that nobody waits for, or that finds too many before it is answered so, and the next one is answered', async () => {
  const asker = new ArchiveAsker({ workerFile: stubbornWorker(), maxMs: 2_000 });
  const tooLong = asker.ask(search('stuck', 'x'));
  const waiting = Array.from({ length: 8 }, () => {
    const unwanted = new AbortController();
    return { unwanted, told: asker.ask(search('free', 'x'), unwanted.signal) };
  });
  expect(await asker.ask(search('free', 'x'))).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('8 questions wait already') },
  });
  for (const { unwanted } of waiting) unwanted.abort();
  for (const { told } of waiting) {
    expect(await told).toMatchObject({ ok: false, error: { message: 'Nobody waits for that any more.' } });
  }
  expect(await tooLong).toMatchObject({ ok: false, error: { message: expect.stringContaining('longer than 2 s') } });
  const unwanted = new AbortController();
  const given = asker.ask(search('stuck', 'x'), unwanted.signal);
  unwanted.abort();
  expect(await given).toMatchObject({ ok: false, error: { message: 'Nobody waits for that any more.' } });
  await asker.close();
  const patient = new ArchiveAsker({ workerFile: stubbornWorker() });
  const dropped = new AbortController();
  const stuck = patient.ask(search('stuck', 'x'), dropped.signal);
  const after = patient.ask(search('free', 'x'));
  dropped.abort();
  expect(await stuck).toMatchObject({ ok: false });
  expect(await after).toEqual({ ok: true, value: [] });
  await patient.close();
  const broken = new ArchiveAsker({ workerFile: join(folder, 'no-such-worker.mjs') });
  expect(await broken.ask(search('free', 'x'))).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining("can't be read beside this desktop") },
  });
  await broken.close();
});

it('AR108: an archive of ciphertext only is asked in memory with its owner’s key, also after it has grown, and says what to do without', async () => {
  const file = join(folder, 'sealed.db');
  await keepArchive(file, [madeLines([says('the wolpertinger is in the cellar')])], { atRest: 'sealed' });
  const locked = new ArchiveAsker({ workerFile });
  expect(await locked.ask(search(file, 'wolpertinger'))).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('--owner-key') },
  });
  await locked.close();
  const asker = new ArchiveAsker({ workerFile, ownerSecret });
  const hits = async () => {
    const found = await asker.ask(search(file, 'wolpertinger'));
    if (!found.ok) throw new Error(found.error.message);
    return found.value;
  };
  const [hit] = await hits();
  expect(hit?.excerpt).toBe('the wolpertinger is in the cellar');
  const page = await asker.ask({ ask: 'lines', file, session: hit?.session ?? 0, limit: 400 });
  expect(page.ok && page.value.lines.some(({ payload }) => payload.includes('wolpertinger'))).toBe(true);
  await keepArchive(file, [madeLines([says('one wolpertinger')]), madeLines([says('another wolpertinger')])], {
    atRest: 'sealed',
  });
  expect((await hits()).length).toBeGreaterThan(1);
  await asker.close();
});
