import {
  agentHosts,
  filterTrouble,
  type Hit,
  joinArchiveFile,
  type Question,
  searchArchive,
  unsealArchive,
} from '@heliograph/app-archive';
import { archiveAgents } from '../archive-agents.ts';
import { archiveFile, orFail, say } from '../archive-place.ts';
import { type Context, openOwnerKey } from '../context.ts';
import { badUsage } from '../failure.ts';
import { printable } from '../printable.ts';

export interface ArchiveSearchOptions {
  readonly text?: string;
  readonly file?: string;
  /** A key, the beginning of one, or a name. */
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
  const { file, agent, kind: toolKind, since: from, until: to, json, ownerKey, ...rest } = options;
  const db = await openToSearch(archiveFile(file, context), ownerKey, context);
  try {
    const agents = await archiveAgents(db, context);
    const query = { ...rest, agent: agent === undefined ? undefined : agents.keyOf(agent), toolKind, from, to };
    const trouble = filterTrouble(db, query);
    if (trouble !== undefined) throw badUsage(trouble);
    const hits = searchArchive(db, query);
    const hostOf = agentHosts(db, context.crypto);
    for (const found of hits) {
      const hit = { ...found, agentName: agents.nameOf(found.agent, found.agentName) };
      const host = hostOf(hit.agent, hit.stream);
      say(json === true ? JSON.stringify({ ...hit, host: host ?? null }) : describe(hit, host));
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

/** A hit as a line: when, where, whose and on which machine, what, and how it reads. */
function describe(hit: Hit, host: string | undefined): string {
  const who = printable(`${hit.agentName} (${hit.agent.slice(0, 8)})${host === undefined ? '' : ` on ${host}`}`);
  const what = [hit.toolKind ?? hit.kind, hit.status, hit.decision].filter(Boolean).join(', ');
  const text = [hit.title, hit.excerpt].filter((part) => part !== '').join(' | ');
  return `${hit.at.slice(0, 19)}Z  session ${hit.session ?? 'none'}  ${who}  [${what}]  ${printable(text)}`;
}
