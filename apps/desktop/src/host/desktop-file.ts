import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { KnownAgent } from '@heliograph/client';
import { isHex64, parseAuthTag } from '@heliograph/wire';

/** What the desktop remembers of one owner between runs: no secret is in it. */
export interface DesktopState {
  /** This device among the owner's viewers. */
  readonly viewerId: string;
  readonly relays: readonly string[];
  readonly agents: readonly KnownAgent[];
}

/** The records of all owners who used this machine's desktop, by public key: none sees another's. */
type Records = Readonly<Record<string, DesktopState>>;

/** One owner's part of the desktop's JSON file (0600), which is written whole and in order. */
export class DesktopFile {
  readonly #path: string;
  readonly #owner: string;
  #state: DesktopState;
  #written: Promise<void> = Promise.resolve();

  private constructor(path: string, owner: string, state: DesktopState) {
    this.#path = path;
    this.#owner = owner;
    this.#state = state;
  }

  /** Opens the part of this owner (64 hex digits), or starts one anew. Rejects with code `BAD_STATE` when the file can't be read as ours. */
  static async open(path: string, owner: string): Promise<DesktopFile> {
    const state = (await readRecords(path, owner))[owner];
    return new DesktopFile(path, owner, state ?? { viewerId: randomUUID(), relays: [], agents: [] });
  }

  get state(): DesktopState {
    return this.#state;
  }

  /** Changes the state at once and resolves when it is on disk; a state that could not be written is not kept. */
  async update(change: (state: DesktopState) => DesktopState): Promise<void> {
    const before = this.#state;
    const next = change(before);
    this.#state = next;
    const write = this.#written.then(async () => {
      // Another owner's desktop may have written since.
      const owners = { ...(await readRecords(this.#path, this.#owner)), [this.#owner]: next };
      await writeWhole(this.#path, `${JSON.stringify({ owners }, undefined, 2)}\n`);
    });
    this.#written = write.catch(() => undefined);
    try {
      await write;
    } catch (error) {
      this.#state = before;
      throw error;
    }
  }
}

/** What a desktop on this machine remembers of an owner, for programs that watch with it. Rejects with code `BAD_STATE` as opening does. */
export async function readDesktopState(path: string, owner: string): Promise<DesktopState> {
  return (await DesktopFile.open(path, owner)).state;
}

/** All records; what earlier versions wrote names no owner and becomes this one's, but for agents another vouched for. */
async function readRecords(path: string, owner: string): Promise<Records> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  const records = parseRecords(text, owner);
  if (records !== undefined) return records;
  const message = `${path} is not a list of agents and relays: mend it, or move it away to start with an empty one`;
  throw Object.assign(new Error(message), { code: 'BAD_STATE' });
}

async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.new`;
  try {
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

function parseRecords(text: string, owner: string): Records | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { owners } = (value ?? {}) as { owners?: unknown };
  if (owners === undefined) {
    const state = readState(value);
    return state === undefined ? undefined : { [owner]: { ...state, agents: state.agents.filter(isOf(owner)) } };
  }
  if (typeof owners !== 'object' || owners === null) return undefined;
  const records = Object.entries(owners).map(([key, one]) => [key, readState(one)] as const);
  const isWhole = records.every(([key, one]) => isHex64(key) && one !== undefined);
  return isWhole ? (Object.fromEntries(records) as Records) : undefined;
}

function readState(value: unknown): DesktopState | undefined {
  const { viewerId, relays, agents } = (value ?? {}) as Record<string, unknown>;
  if (typeof viewerId !== 'string' || !Array.isArray(relays) || !Array.isArray(agents)) return undefined;
  if (!relays.every((url) => typeof url === 'string') || !agents.every(isKnownAgent)) return undefined;
  return { viewerId, relays, agents };
}

/** Whether nobody else vouched for an agent. */
function isOf(owner: string): (agent: KnownAgent) => boolean {
  return ({ authTag }) => authTag === undefined || authTag[1] === owner;
}

function isKnownAgent(value: unknown): value is KnownAgent {
  const { publicKey, name, authTag, revoked } = (value ?? {}) as Record<string, unknown>;
  return (
    isHex64(publicKey) &&
    typeof name === 'string' &&
    (authTag === undefined || parseAuthTag(authTag).ok) &&
    (revoked === undefined || typeof revoked === 'boolean')
  );
}
