import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  backupRelay,
  compactRelay,
  exportDatabase,
  exportEvents,
  importDatabase,
  importEvents,
  restoreRelay,
} from '@heliograph/app-relay';
import type { Context } from '../context.ts';
import { badUsage, Failure, systemCode } from '../failure.ts';
import { folderOnly, relayDatabase, relayFolder, type StorageFlags } from './relay-storage.ts';

interface OnFile extends StorageFlags {
  readonly file: string;
}

type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: { readonly message: string } };

function orFail<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Failure(1, outcome.error.message);
  return outcome.value;
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

/** `heliograph relay backup`: a whole, checked copy, while the relay runs. */
export async function backup(given: OnFile, context: Context): Promise<number> {
  const target = context.path(given.file);
  const folder = folderOnly(given, context, 'pg_dump --schema=heliograph makes a copy');
  const bytes = orFail(backupRelay(folder, target));
  return say(`${target} holds a whole copy (${bytes} bytes)`);
}

/** `heliograph relay restore`: a backup in the place of the relay's file. */
export async function restore(given: OnFile, context: Context): Promise<number> {
  const folder = folderOnly(given, context, 'pg_restore, or psql, puts back what pg_dump wrote');
  const { keptAs } = orFail(restoreRelay(folder, context.path(given.file)));
  return say(`restored${keptAs === undefined ? '' : `; what was there before is kept as ${keptAs}`}`);
}

/** `heliograph relay compact`: gives unused space back. */
export async function compact(given: StorageFlags, context: Context): Promise<number> {
  const folder = folderOnly(given, context, 'VACUUM FULL gives unused space back (and pg_dump makes a copy before)');
  const { beforeBytes, afterBytes } = orFail(compactRelay(folder));
  return say(`${beforeBytes} bytes became ${afterBytes}`);
}

/** `heliograph relay export`: every stored event as one line of JSON, to a new file or standard output. */
export async function exportTo(given: OnFile, context: Context): Promise<number> {
  const { file } = given;
  const database = relayDatabase(given, context);
  const events = orFail<Iterable<string> | AsyncIterable<string>>(
    database === undefined ? exportEvents(relayFolder(given, context)) : await exportDatabase(database),
  );
  const target = file === '-' ? process.stdout : createWriteStream(context.path(file), { flags: 'wx', mode: 0o600 });
  try {
    await pipeline(Readable.from(lines(events)), target, { end: file !== '-' });
  } catch (error) {
    if (systemCode(error) === 'EEXIST')
      throw badUsage(`FILE: ${context.path(file)} exists. Expected a new file, or -.`);
    throw error;
  }
  return 0;
}

async function* lines(events: Iterable<string> | AsyncIterable<string>): AsyncIterable<string> {
  for await (const json of events) yield `${json}\n`;
}

/** Begins to read when it is first asked: a line that came before would be lost. */
async function* linesOf(input: NodeJS.ReadableStream): AsyncIterable<string> {
  yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
}

/** `heliograph relay import`: takes such lines in, each checked; refused lines are counted and the first is told. */
export async function importFrom(given: OnFile, context: Context): Promise<number> {
  const { file } = given;
  const source = file === '-' ? process.stdin : createReadStream(context.path(file));
  const failed = new Promise<never>((_, reject) => source.once('error', reject));
  const database = relayDatabase(given, context);
  const done =
    database === undefined
      ? importEvents(relayFolder(given, context), linesOf(source), context.crypto)
      : importDatabase(database, linesOf(source), context.crypto);
  const { outcomes, refused, firstRefusal } = orFail(await Promise.race([done, failed]));
  const { stored, duplicate, superseded, deleted } = outcomes;
  const why = firstRefusal === undefined ? '' : ` (first: line ${firstRefusal.line}, ${firstRefusal.reason})`;
  say(
    `${stored} stored, ${duplicate} were there, ${superseded} older versions, ${deleted} deleted, ${refused} refused${why}`,
  );
  return refused > 0 ? 1 : 0;
}
