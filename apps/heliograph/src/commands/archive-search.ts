import {
  filterTrouble,
  type Hit,
  joinArchiveFile,
  type Question,
  searchArchive,
  unsealArchive,
} from '@heliograph/app-archive';
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
  const { file, kind: toolKind, since, until, json, ownerKey, ...rest } = options;
  // As beginnings: what stands there has digits of its own after the second, or none.
  const query = { ...rest, toolKind, from: since?.replace('Z', ''), to: until?.replace(/\.999Z$/, '') };
  const db = await openToSearch(archiveFile(file, context), ownerKey, context);
  try {
    const trouble = filterTrouble(db, query);
    if (trouble !== undefined) throw badUsage(trouble);
    const hits = searchArchive(db, query);
    if (hits.length > 0) say(...hits.map((hit) => (json === true ? JSON.stringify(hit) : describe(hit))));
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

function describe(hit: Hit): string {
  const what = [hit.toolKind ?? hit.kind, hit.status, hit.decision].filter(Boolean).join(', ');
  const text = [hit.title, hit.excerpt].filter((part) => part !== '').join(' | ');
  return `${hit.at.slice(0, 19)}Z  session ${hit.session ?? 'none'}  [${what}]  ${printable(text)}`;
}
