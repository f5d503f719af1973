import { type StreamHead, utf8Length } from '@heliograph/wire';
import type { SealedFile } from '../sealed-file.ts';
import type { Channel, EarlierSession } from './channels.ts';

/** A channel of the last run: its stream then, and the session it may go on with. */
export interface KeptChannel {
  readonly channelId: string;
  readonly stream: string;
  readonly cwd: string;
  /** Where the stream ended, when that run closed it in order. */
  readonly end?: { readonly seq: number; readonly hash: string };
  readonly session?: EarlierSession;
}

/** What the last run with this state folder left. */
export interface KeptChannels {
  /** The command line and folder the sessions belong to: other agents have no such sessions. */
  readonly agent: string;
  /** The one that prompts go to first. */
  readonly channels: readonly KeptChannel[];
}

/** Channels that are carried on, and the bytes of what is written of all of them, which one ciphertext holds; of more the ones that were quiet longest are let go. */
const MAX_KEPT = 64;
const MAX_KEPT_BYTES = 60_000;

/** Reads what the last run left; undefined for the first, and where it can't be read. */
export async function readKeptChannels(file: SealedFile): Promise<KeptChannels | undefined> {
  const { agent, channels } = ((await file.read()) ?? {}) as { agent?: unknown; channels?: unknown };
  if (typeof agent !== 'string' || !Array.isArray(channels)) return undefined;
  return { agent, channels: channels.filter(isKept).slice(0, MAX_KEPT) };
}

/** What the next run may go on with: `main` first, then the channels an owner opened and did not close. */
export function describeKept(
  agent: string,
  main: Channel,
  others: readonly Channel[],
  endOf: (stream: string) => KeptChannel['end'] = () => undefined,
): KeptChannels {
  const recent = others
    .filter((channel) => channel !== main && !channel.isClosed)
    .toSorted((a, b) => (a.lastActivity < b.lastActivity ? 1 : -1))
    .slice(0, MAX_KEPT - 1);
  const channels: KeptChannel[] = [];
  let bytes = utf8Length(JSON.stringify(agent));
  for (const channel of [main, ...recent]) {
    const kept = describe(channel, endOf(channel.stream));
    bytes += utf8Length(JSON.stringify(kept)) + 1;
    if (bytes > MAX_KEPT_BYTES) break;
    channels.push(kept);
  }
  return { agent, channels };
}

/** How a new stream of the channel goes on from the last one; undefined when nothing of that is known. */
export function continuation({ stream, end }: KeptChannel, kept: StreamHead | undefined) {
  const head = kept ?? end;
  if (head === undefined) return undefined;
  return { stream, seq: head.seq, hash: head.hash, clean: end !== undefined && end.seq === head.seq };
}

function describe({ channelId, stream, cwd, earlier }: Channel, end: KeptChannel['end']): KeptChannel {
  return {
    channelId,
    stream,
    cwd,
    ...(end !== undefined ? { end: { seq: end.seq, hash: end.hash } } : {}),
    ...(earlier !== undefined ? { session: earlier } : {}),
  };
}

function isKept(value: unknown): value is KeptChannel {
  const { channelId, stream, cwd, end, session } = (value ?? {}) as Partial<KeptChannel>;
  const isEnd = end === undefined || (typeof end.seq === 'number' && typeof end.hash === 'string');
  const isSession =
    session === undefined || (typeof session.sessionId === 'string' && typeof session.createdMs === 'number');
  return typeof channelId === 'string' && typeof stream === 'string' && typeof cwd === 'string' && isEnd && isSession;
}
