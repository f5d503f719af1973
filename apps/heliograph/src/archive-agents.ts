import type { joinArchiveFile } from '@heliograph/app-archive';
import { readDesktopState } from '@heliograph/app-desktop/host';
import { parsePublicKey } from '@heliograph/wire';
import type { Context } from './context.ts';
import { badUsage } from './failure.ts';
import { printable } from './printable.ts';

type Db = Extract<ReturnType<typeof joinArchiveFile>, { ok: true }>['value'];

/** The agents of an archive by the names they are told with here. */
export interface ArchiveAgents {
  /** The name its owner gave an agent on this machine, else `known`, the archive's or the agent's own. */
  nameOf(agent: string, known: string | null): string;
  /** The hex key of whom `--agent` means: a key, the beginning of one, or a name that only one agent has. Throws a Failure. */
  keyOf(text: string): string;
}

/** Digits of a key that searches tell, so as many are enough to name one. */
const MIN_KEY_DIGITS = 8;
/** Agents listed where none or several are meant. */
const MAX_LISTED = 20;

/** Reads who the agents of an archive are; names of the desktop only where this machine's owner is the archive's. */
export async function archiveAgents(db: Db, context: Context): Promise<ArchiveAgents> {
  const { owner } = db.prepare('SELECT owner FROM about').get() as { readonly owner: string };
  // The desktop says what is wrong with its file: the archive's own names do without.
  const { agents } = await readDesktopState(context.places.desktopFile, owner).catch(() => ({ agents: [] }));
  const owned = new Map(agents.map(({ publicKey, name }) => [publicKey, name]));
  const nameOf = (agent: string, known: string | null) => owned.get(agent) || known || 'an agent';
  return {
    nameOf,
    keyOf(text) {
      const key = parsePublicKey(text);
      if (key.ok) return key.value;
      const rows = db
        .prepare(
          'SELECT DISTINCT a.public_key AS agent, coalesce(a.name, e.agent_name) AS name FROM agents a LEFT JOIN session_rows e USING (agent)',
        )
        .all() as { agent: string; name: string | null }[];
      const wanted = text.toLowerCase();
      const isKeyPart = new RegExp(`^[0-9a-f]{${MIN_KEY_DIGITS},}$`).test(wanted);
      const meant = rows.filter(
        ({ agent, name }) => nameOf(agent, name).toLowerCase() === wanted || (isKeyPart && agent.startsWith(wanted)),
      );
      const [first, ...others] = meant;
      if (first !== undefined && others.every(({ agent }) => agent === first.agent)) return first.agent;
      const trouble = first === undefined ? 'no agent of this archive is called so' : 'several agents are called so';
      const listed = (first === undefined ? rows : meant)
        .slice(0, MAX_LISTED)
        .map(({ agent, name }) => `${nameOf(agent, name)} (${agent.slice(0, MIN_KEY_DIGITS)})`);
      const expected =
        listed.length === 0
          ? 'a public key'
          : `a public key, or of these a name of its own or the digits: ${listed.join(', ')}`;
      throw badUsage(printable(`--agent ${text}: ${trouble}. Expected ${expected}`));
    },
  };
}
