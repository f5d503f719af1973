import { DECISION, type SqlDatabase, type SqlValue } from '@heliograph/record';
import type { SearchQuery } from './search.ts';

const TOOL_KINDS = 'read edit delete move search execute think fetch switch_mode other'.split(' ');
const DECISIONS =
  'none allowed rejected allow_once allow_always reject_once reject_always cancelled timed_out expired withdrawn applied aborted unknown'.split(
    ' ',
  );

/** What of a query can't be meant, as a sentence with the option's name, its value and what is expected; undefined: nothing. */
export function filterTrouble(db: SqlDatabase, query: SearchQuery): string | undefined {
  const has = (sql: string, value: SqlValue) => db.prepare(sql).get(value) !== undefined;
  const { toolKind, decision, session, agent, from, to } = query;
  if (from !== undefined && to !== undefined && from > to) {
    return `--since ${from} is after --until ${to}: nothing can be between. Expected the earlier one as --since`;
  }
  // Agents and harnesses may have words of their own: what is kept can be asked for.
  if (toolKind !== undefined && !TOOL_KINDS.includes(toolKind)) {
    if (!has('SELECT 1 FROM tool_rows WHERE tool_kind = ? LIMIT 1', toolKind)) {
      return `--kind ${toolKind}: no tool call here is of that kind. Expected one of ${TOOL_KINDS.join(', ')}`;
    }
  }
  if (decision !== undefined && !DECISIONS.includes(decision)) {
    if (!has(`SELECT 1 FROM permission_rows p WHERE ? IN (${DECISION}, p.option_kind) LIMIT 1`, decision)) {
      return `--decision ${decision}: nothing here was decided so. Expected one of ${DECISIONS.join(', ')}`;
    }
  }
  if (session !== undefined && !has('SELECT 1 FROM session_rows WHERE session = ?', session)) {
    return `--session ${session}: no session of this archive has that number. Expected one that archive search names`;
  }
  if (agent !== undefined && !has('SELECT 1 FROM agents WHERE public_key = ?', agent)) {
    return `--agent ${agent}: nothing is kept of it here. Expected the key of an agent whose sessions are here (the view sessions names them)`;
  }
  return undefined;
}
