import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { backupRelay, compactRelay, exportEvents, importEvents, restoreRelay } from '@heliograph/app-relay';
import type { Context } from '../context.ts';
import { badUsage, Failure, systemCode } from '../failure.ts';
import { relayFolder } from './relay-folder.ts';

interface OnFile {
  readonly file: string;
  readonly data?: string;
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
export async function backup({ file, data }: OnFile, context: Context): Promise<number> {
  const target = context.path(file);
  const bytes = orFail(backupRelay(relayFolder(data, context), target));
  return say(`${target} holds a whole copy (${bytes} bytes)`);
}

/** `heliograph relay restore`: a backup in the place of the relay's file. */
export async function restore({ file, data }: OnFile, context: Context): Promise<number> {
  const { keptAs } = orFail(restoreRelay(relayFolder(data, context), context.path(file)));
  return say(`restored${keptAs === undefined ? '' : `; what was there before is kept as ${keptAs}`}`);
}

/** `heliograph relay compact`: gives unused space back. */
export async function compact({ data }: { readonly data?: string }, context: Context): Promise<number> {
  const { beforeBytes, afterBytes } = orFail(compactRelay(relayFolder(data, context)));
  return say(`${beforeBytes} bytes became ${afterBytes}`);
}

/** `heliograph relay export`: every stored event as one line of JSON, to a new file or standard output. */
export async function exportTo({ file, data }: OnFile, context: Context): Promise<number> {
  const events = orFail(exportEvents(relayFolder(data, context)));
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

function* lines(events: Iterable<string>): Iterable<string> {
  for (const json of events) yield `${json}\n`;
}

/** `heliograph relay import`: takes such lines in, each checked; refused lines are counted and the first is told. */
export async function importFrom({ file, data }: OnFile, context: Context): Promise<number> {
  const source = file === '-' ? process.stdin : createReadStream(context.path(file));
  const opened = createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY });
  const failed = new Promise<never>((_, reject) => source.once('error', reject));
  const done = importEvents(relayFolder(data, context), opened, context.crypto);
  const { outcomes, refused, firstRefusal } = orFail(await Promise.race([done, failed]));
  const { stored, duplicate, superseded, deleted } = outcomes;
  const why = firstRefusal === undefined ? '' : ` (first: line ${firstRefusal.line}, ${firstRefusal.reason})`;
  say(
    `${stored} stored, ${duplicate} were there, ${superseded} older versions, ${deleted} deleted, ${refused} refused${why}`,
  );
  return refused > 0 ? 1 : 0;
}
