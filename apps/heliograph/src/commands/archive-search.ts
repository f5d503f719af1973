import {
  agentHosts,
  filterTrouble,
  type Hit,
  joinArchiveFile,
  type Question,
  searchArchive,
  unsealArchive,
} from '@heliograph/app-archive';
import { readDesktopState } from '@heliograph/app-desktop/host';
import { archiveFile, orFail, say } from '../archive-place.ts';
import { type Context, openOwnerKey } from '../context.ts';
import { badUsage } from '../failure.ts';
import { printable } from '../printable.ts';

export interface ArchiveSearchOptions {
  readonly text?: string;
  readonly file?: string;
  readonly agent?: string;
  readonly session?: number;
  readonly kind?: string;
  readonly path?: string;
  readonly decision?: string;
  readonly since?: string;
  readonly until?: string;
  readonly errors?: boolean;
  readonly question?: Question;
  readonly limit: number;
  readonly json?: boolean;
  readonly ownerKey?: string;
}

/** `heliograph archive search`: what is found, a line each; exit 0 also when nothing is, which is said on stderr. */
export async function archiveSearch(options: ArchiveSearchOptions, context: Context): Promise<number> {
  const { file, kind: toolKind, since: from, until: to, json, ownerKey, ...rest } = options;
  const query = { ...rest, toolKind, from, to };
  const db = await openToSearch(archiveFile(file, context), ownerKey, context);
  try {
    const trouble = filterTrouble(db, query);
    if (trouble !== undefined) throw badUsage(trouble);
    const hits = searchArchive(db, query);
    if (json === true) for (const hit of hits) say(JSON.stringify(hit));
    else if (hits.length > 0) {
      const who = await agentWords(db, context);
      say(...hits.map((hit) => describe(hit, who(hit))));
    }
    if (hits.length === 0) {
      const sessions = Number(db.prepare('SELECT count(*) FROM session_rows').pluck().get());
      context.log.info({ sessions }, `nothing found among ${sessions} ${sessions === 1 ? 'session' : 'sessions'}`);
    }
    if (hits.length === options.limit) context.log.info({}, `only the first ${options.limit} are shown: see --limit`);
    return 0;
  } finally {
    db.close();
  }
}

/** An archive to search; one that holds only ciphertext is opened with the owner's key where that is given. */
async function openToSearch(path: string, ownerKey: string | undefined, context: Context) {
  const db = orFail(joinArchiveFile(path));
  const sealed = db.prepare("SELECT note FROM about WHERE at_rest = 'sealed'").pluck().get();
  if (typeof sealed !== 'string') return db;
  if (ownerKey === undefined) {
    context.log.warn({}, `${sealed}: name its file with --owner-key`);
    return db;
  }
  try {
    const owner = await openOwnerKey(ownerKey, context);
    return orFail(unsealArchive(db, owner.secret, context.crypto));
  } finally {
    db.close();
  }
}

/** Whose it is and where it ran: by the name its owner gave it on this machine, else the one the archive knows it by. */
async function agentWords(db: Parameters<typeof agentHosts>[0], context: Context): Promise<(hit: Hit) => string> {
  const { owner } = db.prepare('SELECT owner FROM about').get() as { readonly owner: string };
  // The desktop says what is wrong with its file: the archive's own names do without.
  const { agents } = await readDesktopState(context.places.desktopFile, owner).catch(() => ({ agents: [] }));
  const names = new Map(agents.map(({ publicKey, name }) => [publicKey, name]));
  const hostOf = agentHosts(db, context.crypto);
  return ({ agent, agentName, stream }) => {
    const name = names.get(agent) || agentName || 'an agent';
    const host = hostOf(agent, stream);
    return printable(`${name} (${agent.slice(0, 8)})${host === undefined ? '' : ` on ${host}`}`);
  };
}

function describe(hit: Hit, who: string): string {
  const what = [hit.toolKind ?? hit.kind, hit.status, hit.decision].filter(Boolean).join(', ');
  const text = [hit.title, hit.excerpt].filter((part) => part !== '').join(' | ');
  return `${hit.at.slice(0, 19)}Z  session ${hit.session ?? 'none'}  ${who}  [${what}]  ${printable(text)}`;
}
