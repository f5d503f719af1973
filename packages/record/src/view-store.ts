import { inTransaction, type SqlDatabase, type SqlStatement, type SqlValue } from './sql.ts';
import type { ItemRow, SessionFacts, TurnRow } from './view-rows.ts';

/** A stream as the views know it. */
export interface ViewedStream {
  readonly stream: number;
  readonly agent: string;
  readonly id: string;
  readonly channelId: string | null;
  /** The newest record of this stream that the views already show. */
  readonly viewedN: number;
}

/** Turns of one stream with the items to write of each; items that are left out stay as they are. */
export interface TurnChange {
  readonly turn: TurnRow;
  readonly items: readonly ItemRow[];
  /** Ids of items that are no more: a gap that was filled, something that turned out to be another's. */
  readonly gone: readonly string[];
}

/** What changed in a stretch of a stream. */
export interface StretchChange {
  readonly turns: readonly TurnChange[];
  /** Ids of turns that are no more. */
  readonly goneTurns: readonly string[];
}

/** Writes what the views show. Idempotent: the same rows again change nothing. */
export class ViewStore {
  readonly #db: SqlDatabase;
  readonly #sql: ReturnType<typeof prepareAll>;
  #isTogether = false;

  constructor(db: SqlDatabase) {
    this.#db = db;
    this.#sql = prepareAll(db);
  }

  /** Makes all that `act` writes one transaction: the index of words then gets one commit, not one for each stream. Throws what SQLite throws, with nothing written. */
  together<T>(act: () => T): T {
    if (this.#isTogether) return act();
    return inTransaction(this.#db, () => {
      this.#isTogether = true;
      try {
        return act();
      } finally {
        this.#isTogether = false;
      }
    });
  }

  /** A stream by its agent's key and its id. */
  stream(agent: string, id: string): ViewedStream | undefined {
    return this.#sql.stream.get(agent, id) as ViewedStream | undefined;
  }

  /** Streams with records that the views do not show yet: after a crash, an import or an upgrade. */
  behind(): readonly ViewedStream[] {
    return this.#sql.behind.all() as ViewedStream[];
  }

  /** Id of the harness stream of the run that a stream belongs to: the newest one that had begun before it. */
  runOf(stream: number): string | undefined {
    return (this.#sql.runOf.get(stream, stream, stream) as { id: string } | undefined)?.id;
  }

  /** The channels' streams of the run whose harness stream has this id. */
  channelsOf(agent: string, run: string): readonly ViewedStream[] {
    return (this.#sql.channels.all(agent) as ViewedStream[]).filter(({ stream }) => this.runOf(stream) === run);
  }

  /** The turns of a stream that hold seqs from `firstSeq` to `lastSeq`, oldest first. */
  turnsAt(
    stream: number,
    firstSeq: number,
    lastSeq: number,
  ): readonly { readonly id: string; readonly firstSeq: number; readonly lastSeq: number }[] {
    return this.#sql.turnsAt.all(stream, lastSeq, firstSeq) as { id: string; firstSeq: number; lastSeq: number }[];
  }

  /** Writes changed turns of a stream and notes how far they reach, in one transaction. */
  write(stream: number, { turns, goneTurns }: StretchChange, facts: SessionFacts | undefined, viewedN: number): void {
    this.together(() => {
      for (const id of goneTurns) this.#removeTurn(stream, id);
      for (const change of turns) this.#writeTurn(stream, change);
      if (facts !== undefined) {
        const { sessionId, title, agentName, cwd, model, mode } = facts;
        this.#sql.facts.run(...[sessionId, title, agentName, cwd, model, mode].map(orNull), stream);
      }
      this.#sql.viewed.run(viewedN, stream, viewedN);
    });
  }

  /** Forgets what is shown of these turns, so that it is made again from the records. */
  forget(stream: number, turnIds: readonly string[]): void {
    this.together(() => {
      for (const id of turnIds) this.#removeTurn(stream, id);
    });
  }

  #removeTurn(stream: number, id: string): void {
    const row = this.#sql.turnRow.get(stream, id) as { turn: number } | undefined;
    if (row === undefined) return;
    for (const { item } of this.#sql.itemsOf.all(row.turn) as { item: number }[]) this.#removeItem(item);
    this.#sql.removeTurn.run(row.turn);
  }

  #removeItem(item: number): void {
    for (const remove of this.#sql.removeItem) remove.run(item);
  }

  #writeTurn(stream: number, { turn, items, gone }: TurnChange): void {
    this.#sql.turn.run(
      stream,
      turn.id,
      turn.source,
      turn.status,
      orNull(turn.outcome),
      orNull(turn.stopReason),
      turn.startedAt,
      orNull(turn.endedAt),
      turn.firstSeq,
      turn.lastSeq,
      orNull(turn.inputTokens),
      orNull(turn.outputTokens),
      orNull(turn.totalTokens),
    );
    const row = this.#sql.turnRow.get(stream, turn.id) as { turn: number };
    for (const id of gone) {
      const known = this.#sql.itemRow.get(row.turn, id) as { item: number } | undefined;
      if (known !== undefined) this.#removeItem(known.item);
    }
    for (const item of items) this.#writeItem(row.turn, item);
  }

  #writeItem(turn: number, row: ItemRow): void {
    const { id, kind, at, updatedAt, firstSeq, lastSeq, late, topic, truncated } = row;
    this.#sql.item.run(
      turn,
      id,
      kind,
      at,
      updatedAt,
      firstSeq,
      lastSeq,
      late ? 1 : 0,
      orNull(topic),
      truncated ? 1 : 0,
    );
    const { item } = this.#sql.itemRow.get(turn, id) as { item: number };
    this.#sql.texts.run(item, row.title, row.text, row.input, row.output);
    const { tool, permission, command } = row;
    if (tool !== undefined) {
      const { toolCallId, toolKind, status, parentToolCallId, exitCode, endedAt } = tool;
      this.#sql.tool.run(
        item,
        toolCallId,
        toolKind,
        status,
        orNull(parentToolCallId),
        orNull(exitCode),
        orNull(endedAt),
      );
    }
    if (permission !== undefined) {
      const { toolCallId, toolKind, options, state, decision, optionId, optionKind } = permission;
      const { decidedBy, viewer, rule, decidedAt } = permission;
      const decided = [decision, optionId, optionKind, decidedBy, viewer, rule, decidedAt].map(orNull);
      this.#sql.permission.run(item, orNull(toolCallId), toolKind, options, state, ...decided);
    }
    this.#sql.clearFiles.run(item);
    for (const { path, action, outsideCwd } of row.files) this.#sql.file.run(item, path, action, outsideCwd ? 1 : 0);
    if (command !== undefined) this.#sql.command.run(item, command.command, command.network ? 1 : 0);
    this.#sql.clearFindings.run(item);
    for (const { kind: secret, digest } of row.findings) this.#sql.finding.run(item, secret, digest, turn, firstSeq);
  }
}

function orNull<T extends SqlValue>(value: T | undefined): T | null {
  return value ?? null;
}

const STREAM = `SELECT s.stream, a.public_key AS agent, s.id, e.channel_id AS channelId, s.viewed_n AS viewedN
  FROM streams s JOIN agents a USING (agent) LEFT JOIN session_rows e ON e.session = s.session`;

function prepareAll(db: SqlDatabase) {
  const prepare = (sql: string): SqlStatement => db.prepare(sql);
  return {
    stream: prepare(`${STREAM} WHERE a.public_key = ? AND s.id = ?`),
    behind: prepare(
      `${STREAM} WHERE s.viewed_n < (SELECT max(n) FROM records r WHERE r.stream = s.stream AND r.text_sha IS NOT NULL) ORDER BY s.stream`,
    ),
    channels: prepare(`${STREAM} WHERE a.public_key = ? AND s.session IS NOT NULL ORDER BY s.stream`),
    // Within one run the harness stream opens first, so its records come first; one that comes late still is the only one.
    runOf: prepare(
      `SELECT id FROM (SELECT s.id, (SELECT min(n) FROM records r WHERE r.stream = s.stream) AS n FROM streams s
         WHERE s.agent = (SELECT agent FROM streams WHERE stream = ?) AND s.session IS NULL AND s.stream <> ?)
       WHERE n IS NOT NULL ORDER BY n > (SELECT min(n) FROM records WHERE stream = ?), n DESC LIMIT 1`,
    ),
    turnsAt: prepare(
      `SELECT id, first_seq AS firstSeq, last_seq AS lastSeq FROM turn_rows
       WHERE stream = ? AND first_seq <= ? AND last_seq >= ? ORDER BY first_seq`,
    ),
    facts: prepare(
      `UPDATE session_rows SET session_id = coalesce(?, session_id), title = coalesce(?, title), agent_name = coalesce(?, agent_name),
       cwd = coalesce(?, cwd), model = coalesce(?, model), mode = coalesce(?, mode)
       WHERE session = (SELECT session FROM streams WHERE stream = ?)`,
    ),
    viewed: prepare('UPDATE streams SET viewed_n = ? WHERE stream = ? AND viewed_n < ?'),
    turn: prepare(
      `INSERT INTO turn_rows (stream, id, source, status, outcome, stop_reason, started_at, ended_at, first_seq, last_seq,
         input_tokens, output_tokens, total_tokens) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (stream, id) DO UPDATE SET source = excluded.source, status = excluded.status, outcome = excluded.outcome,
         stop_reason = excluded.stop_reason, started_at = min(started_at, excluded.started_at), ended_at = excluded.ended_at,
         first_seq = min(first_seq, excluded.first_seq), last_seq = excluded.last_seq,
         input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens, total_tokens = excluded.total_tokens`,
    ),
    turnRow: prepare('SELECT turn FROM turn_rows WHERE stream = ? AND id = ?'),
    item: prepare(
      `INSERT INTO item_rows (turn, id, kind, at, updated_at, first_seq, last_seq, late, topic, truncated)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (turn, id) DO UPDATE SET kind = excluded.kind, updated_at = excluded.updated_at, first_seq = excluded.first_seq,
         last_seq = excluded.last_seq, late = excluded.late, topic = excluded.topic, truncated = excluded.truncated`,
    ),
    itemRow: prepare('SELECT item FROM item_rows WHERE turn = ? AND id = ?'),
    texts: prepare(
      `INSERT INTO texts (item, title, text, input, output) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (item) DO UPDATE SET title = excluded.title, text = excluded.text, input = excluded.input, output = excluded.output`,
    ),
    tool: prepare('INSERT OR REPLACE INTO tool_rows VALUES (?, ?, ?, ?, ?, ?, ?)'),
    permission: prepare('INSERT OR REPLACE INTO permission_rows VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    clearFiles: prepare('DELETE FROM file_rows WHERE item = ?'),
    file: prepare('INSERT OR IGNORE INTO file_rows VALUES (?, ?, ?, ?)'),
    command: prepare('INSERT OR REPLACE INTO command_rows VALUES (?, ?, ?)'),
    clearFindings: prepare('DELETE FROM redaction_rows WHERE item = ?'),
    finding: prepare(
      `INSERT INTO redaction_rows (n, item, kind, digest) SELECT max(r.n), ?, ?, ? FROM records r
       WHERE r.stream = (SELECT stream FROM turn_rows WHERE turn = ?) AND r.first_seq <= ? HAVING max(r.n) IS NOT NULL`,
    ),
    itemsOf: prepare('SELECT item FROM item_rows WHERE turn = ?'),
    removeTurn: prepare('DELETE FROM turn_rows WHERE turn = ?'),
    removeItem: ITEM_TABLES.map((table) => prepare(`DELETE FROM ${table} WHERE item = ?`)),
  };
}

const ITEM_TABLES = [
  'texts',
  'tool_rows',
  'permission_rows',
  'file_rows',
  'command_rows',
  'redaction_rows',
  'item_rows',
];
