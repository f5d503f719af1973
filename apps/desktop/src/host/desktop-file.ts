import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { KnownAgent } from '@heliograph/client';
import { isHex64, parseAuthTag } from '@heliograph/wire';

/** What the desktop remembers between runs: no secret is in it. */
export interface DesktopState {
  /** This device among the owner's viewers. */
  readonly viewerId: string;
  readonly relays: readonly string[];
  readonly agents: readonly KnownAgent[];
}

/** The desktop's state in one JSON file (0600), written whole and in order. */
export class DesktopFile {
  readonly #path: string;
  #state: DesktopState;
  #written: Promise<void> = Promise.resolve();

  private constructor(path: string, state: DesktopState) {
    this.#path = path;
    this.#state = state;
  }

  /** Opens the file, or starts anew when there is none. Rejects with code `BAD_STATE` when it can't be read as ours. */
  static async open(path: string): Promise<DesktopFile> {
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return new DesktopFile(path, { viewerId: randomUUID(), relays: [], agents: [] });
    }
    const state = parseState(text);
    if (state !== undefined) return new DesktopFile(path, state);
    const message = `${path} is not a list of agents and relays: mend it, or move it away to start with an empty one`;
    throw Object.assign(new Error(message), { code: 'BAD_STATE' });
  }

  get state(): DesktopState {
    return this.#state;
  }

  /** Changes the state at once and resolves when it is on disk; a state that could not be written is not kept. */
  async update(change: (state: DesktopState) => DesktopState): Promise<void> {
    const before = this.#state;
    this.#state = change(before);
    const text = `${JSON.stringify(this.#state, undefined, 2)}\n`;
    const write = this.#written.then(() => writeWhole(this.#path, text));
    this.#written = write.catch(() => undefined);
    try {
      await write;
    } catch (error) {
      this.#state = before;
      throw error;
    }
  }
}

/** What a desktop on this machine remembers, for programs that watch with it. Rejects with code `BAD_STATE` as opening does. */
export async function readDesktopState(path: string): Promise<DesktopState> {
  return (await DesktopFile.open(path)).state;
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

function parseState(text: string): DesktopState | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { viewerId, relays, agents } = (value ?? {}) as Record<string, unknown>;
  if (typeof viewerId !== 'string' || !Array.isArray(relays) || !Array.isArray(agents)) return undefined;
  if (!relays.every((url) => typeof url === 'string') || !agents.every(isKnownAgent)) return undefined;
  return { viewerId, relays, agents };
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
