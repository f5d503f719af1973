import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { StreamHead } from '@heliograph/wire';

/** The channel that prompts go to, and its stream in the last run; `end` when that run closed it in order. */
export interface LastChannel {
  readonly channelId: string;
  readonly stream: string;
  readonly end?: { readonly seq: number; readonly hash: string };
}

const FILE = 'channel.json';

/** What the last run with this state folder left; undefined for the first. */
export async function readLastChannel(stateDir: string): Promise<LastChannel | undefined> {
  let value: Partial<LastChannel> | null;
  try {
    value = JSON.parse(await readFile(join(stateDir, FILE), 'utf8')) as Partial<LastChannel> | null;
  } catch {
    return undefined; // Absent or cut short: a new channel is begun.
  }
  const { channelId, stream, end } = value ?? {};
  if (typeof channelId !== 'string' || typeof stream !== 'string') return undefined;
  const isEnd = typeof end?.seq === 'number' && typeof end.hash === 'string';
  return { channelId, stream, ...(isEnd ? { end } : {}) };
}

/** Puts this run's channel in the place of the last one's: whole or not at all. */
export async function writeLastChannel(stateDir: string, channel: LastChannel): Promise<void> {
  const path = join(stateDir, FILE);
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(JSON.stringify(channel));
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
}

/** How a new stream of the channel goes on from the last one; undefined when nothing of that is known. */
export function continuation({ stream, end }: LastChannel, kept: StreamHead | undefined) {
  const head = kept ?? end;
  if (head === undefined) return undefined;
  return { stream, seq: head.seq, hash: head.hash, clean: end !== undefined && end.seq === head.seq };
}
