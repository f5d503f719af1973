import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Signer } from '@heliograph/wire';
import type { EarlierSession } from './channels.ts';

/** A channel's newest prompted session, and whose it is. */
export interface LastSession extends EarlierSession {
  readonly channelId: string;
  /** The command line and folder it belongs to: other agents have no such session. */
  readonly agent: string;
}

export interface LastSessionOptions {
  readonly stateDir: string;
  readonly signer: Signer;
  readonly owner: string;
}

const FILE = 'session.sealed';

/** What the last run with this state folder left; undefined where there is none that can be read. */
export async function readLastSession({
  stateDir,
  signer,
  owner,
}: LastSessionOptions): Promise<LastSession | undefined> {
  try {
    const opened = await signer.decrypt(owner, await readFile(join(stateDir, FILE), 'utf8'));
    if (!opened.ok) return undefined;
    const { channelId, agent, sessionId, createdMs } = JSON.parse(opened.value) as Partial<LastSession>;
    if (typeof channelId !== 'string' || typeof agent !== 'string') return undefined;
    if (typeof sessionId !== 'string' || typeof createdMs !== 'number') return undefined;
    return { channelId, agent, sessionId, createdMs };
  } catch {
    return undefined; // Absent, cut short or another key's: a new session is begun.
  }
}

/** Keeps a session for the next run, as ciphertext; undefined: there is none worth opening again. */
export async function writeLastSession(options: LastSessionOptions, session: LastSession | undefined): Promise<void> {
  const { stateDir, signer, owner } = options;
  const path = join(stateDir, FILE);
  if (session === undefined) {
    await rm(path, { force: true });
    return;
  }
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(await signer.encrypt(owner, JSON.stringify(session)));
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
}
