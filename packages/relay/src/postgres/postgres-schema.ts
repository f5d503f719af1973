import { PRIVATE_KINDS } from '../visibility.ts';

/** The layout below; a database with a higher number was made by a later Heliograph. */
export const POSTGRES_SCHEMA_VERSION = 2;

/** Names our advisory locks ("HLGR"); the second number says what for. */
const LOCK_SPACE = 0x484c4752;
export const LOCK = {
  /** Ordinary writers share it; a deletion request has it alone: neither may miss the other. */
  write: `${LOCK_SPACE}, 1`,
  /** One relay at a time makes the schema. */
  schema: `${LOCK_SPACE}, 2`,
  /** One relay at a time takes away what is over. */
  sweep: `${LOCK_SPACE}, 3`,
} as const;

export const PRIVATE_KIND_LIST = [...PRIVATE_KINDS].join(', ');

/**
 * Everything lies in a schema of its own. A tag is kept as 16 bytes of its hash (`tagKey`): values may be longer than an
 * index takes and hold characters PostgreSQL's text can't. `address` is the key of the `a` tag that would name the event,
 * so a deletion request's own tags find what it deletes. Indexes end in (created_at DESC, id): the order of answers.
 * `words` is an array and no tsvector, which holds at most 1 MB of words. Every change of the operator's decisions raises
 * `access_version`.
 */
const TABLES = `
CREATE SCHEMA IF NOT EXISTS heliograph;

CREATE TABLE heliograph.relay (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  schema_version integer NOT NULL,
  cluster uuid NOT NULL DEFAULT gen_random_uuid(),
  access_version bigint NOT NULL DEFAULT 1,
  probed_at timestamptz
);

CREATE TABLE heliograph.events (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id bytea NOT NULL UNIQUE,
  pubkey bytea NOT NULL,
  kind integer NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint,
  stored_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  address bytea UNIQUE,
  size integer NOT NULL,
  tags bytea[] NOT NULL,
  words text[],
  json text NOT NULL
);
CREATE INDEX events_by_author ON heliograph.events (pubkey, created_at DESC, id);
CREATE INDEX events_by_author_kind ON heliograph.events (pubkey, kind, created_at DESC, id);
CREATE INDEX events_by_kind ON heliograph.events (kind, created_at DESC, id);
CREATE INDEX events_by_time ON heliograph.events (created_at DESC, id);
CREATE INDEX events_by_end ON heliograph.events (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX events_by_word ON heliograph.events USING gin (words) WHERE words IS NOT NULL;

CREATE TABLE heliograph.tags (
  tag bytea NOT NULL,
  created_at bigint NOT NULL,
  id bytea NOT NULL,
  kind integer NOT NULL,
  seq bigint NOT NULL
);
CREATE UNIQUE INDEX tags_by_tag ON heliograph.tags (tag, created_at DESC, id) INCLUDE (kind, seq);

CREATE TABLE heliograph.keys (
  pubkey bytea PRIMARY KEY,
  verdict text NOT NULL CHECK (verdict IN ('allow', 'deny')),
  reason text NOT NULL
);
CREATE TABLE heliograph.banned_events (id bytea PRIMARY KEY, reason text NOT NULL);
CREATE TABLE heliograph.settings (name text PRIMARY KEY, value text NOT NULL);

CREATE FUNCTION heliograph.note_access() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE heliograph.relay SET access_version = access_version + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER noted AFTER INSERT OR UPDATE OR DELETE ON heliograph.keys
  FOR EACH ROW EXECUTE FUNCTION heliograph.note_access();
CREATE TRIGGER noted AFTER INSERT OR UPDATE OR DELETE ON heliograph.banned_events
  FOR EACH ROW EXECUTE FUNCTION heliograph.note_access();
CREATE TRIGGER noted AFTER INSERT OR UPDATE OR DELETE ON heliograph.settings
  FOR EACH ROW EXECUTE FUNCTION heliograph.note_access();

CREATE FUNCTION heliograph.remove_events(seqs bigint[]) RETURNS bigint LANGUAGE sql AS $$
  WITH gone AS (DELETE FROM heliograph.events WHERE seq = ANY (seqs) RETURNING id, created_at, tags),
  untagged AS (
    DELETE FROM heliograph.tags t USING (SELECT unnest(tags) AS tag, created_at, id FROM gone) g
    WHERE t.tag = g.tag AND t.created_at = g.created_at AND t.id = g.id
  )
  SELECT count(*) FROM gone
$$;
`;

const WRITING = `
-- Writes a batch in its order: one outcome per event. READ COMMITTED: every statement sees what others committed before
-- it, so an insert that met another writer's row is decided again from what is there now.
CREATE OR REPLACE FUNCTION heliograph.write_events(batch json, alone boolean) RETURNS text[] LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  r record;
  held record;
  new_seq bigint;
  outcome text;
  outcomes text[] := '{}';
BEGIN
  IF alone THEN PERFORM pg_advisory_xact_lock(${LOCK.write});
  ELSE PERFORM pg_advisory_xact_lock_shared(${LOCK.write});
  END IF;
  FOR r IN SELECT * FROM json_to_recordset(batch) AS x(
    id bytea, pubkey bytea, kind integer, created_at bigint, expires_at bigint, address bytea, size integer,
    tags bytea[], words text[], json text, e_tag bytea, p_tag bytea, deleters bytea[], named bytea[])
  LOOP
    outcome := NULL;
    WHILE outcome IS NULL LOOP
      IF EXISTS (SELECT FROM heliograph.events WHERE id = r.id) THEN
        outcome := 'duplicate';
      ELSIF r.kind <> 5 AND (
        EXISTS (
          SELECT FROM heliograph.tags t JOIN heliograph.events d ON d.seq = t.seq
          WHERE t.tag = r.e_tag AND t.kind = 5 AND d.pubkey = ANY (r.deleters))
        OR EXISTS (
          SELECT FROM heliograph.tags t JOIN heliograph.events d ON d.seq = t.seq
          WHERE t.tag = r.address AND t.kind = 5 AND t.created_at >= r.created_at AND d.pubkey = r.pubkey)
      ) THEN
        outcome := 'deleted';
      ELSE
        IF r.address IS NOT NULL THEN
          SELECT seq, created_at, id INTO held FROM heliograph.events WHERE address = r.address FOR UPDATE;
          IF FOUND THEN
            -- Another writer committed this very event since it was looked for.
            IF held.id = r.id THEN
              outcome := 'duplicate';
              EXIT;
            END IF;
            IF r.created_at < held.created_at OR (r.created_at = held.created_at AND r.id > held.id) THEN
              outcome := 'superseded';
              EXIT;
            END IF;
            PERFORM heliograph.remove_events(ARRAY[held.seq]);
          END IF;
        END IF;
        INSERT INTO heliograph.events (id, pubkey, kind, created_at, expires_at, address, size, tags, words, json)
          VALUES (r.id, r.pubkey, r.kind, r.created_at, r.expires_at, r.address, r.size, r.tags, r.words, r.json)
          ON CONFLICT DO NOTHING RETURNING seq INTO new_seq;
        IF FOUND THEN
          outcome := 'stored';
          INSERT INTO heliograph.tags (tag, created_at, id, kind, seq)
            SELECT unnest(r.tags), r.created_at, r.id, r.kind, new_seq;
          IF r.kind = 5 THEN
            PERFORM heliograph.remove_events(ARRAY(
              SELECT e.seq FROM heliograph.events e WHERE e.kind <> 5 AND e.id = ANY (r.named)
                AND (e.pubkey = r.pubkey OR (e.kind = 1059 AND r.p_tag = ANY (e.tags)))
              UNION
              SELECT e.seq FROM heliograph.events e WHERE e.kind <> 5 AND e.address = ANY (r.tags)
                AND e.pubkey = r.pubkey AND e.created_at <= r.created_at));
          END IF;
        END IF;
      END IF;
    END LOOP;
    outcomes := outcomes || outcome;
  END LOOP;
  RETURN outcomes;
END $$;
`;

/** What makes an empty database one of this version. */
export const POSTGRES_SCHEMA = TABLES + WRITING;

/** What brings a database of an earlier version to the next, by the version it has; relays of that one may go on running. */
export const POSTGRES_UPGRADES: Readonly<Record<number, string>> = { 1: WRITING };
