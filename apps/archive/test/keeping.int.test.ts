import { statSync } from 'node:fs';
import { createReader } from '@heliograph/record';
import { afterEach, describe, expect, it } from 'vitest';
import { joinArchiveFile, packer, verifyArchiveFile } from '../src/index.ts';
import { crypto, Stage, until } from './support/stage.ts';

let stage: Stage;
afterEach(() => stage.close());

describe('keeping', () => {
  it('AR1: keeps telemetry and controls of a real session, in a private file, and fills the views', async () => {
    stage = await Stage.open();
    const harness = await stage.harness();
    const archive = await stage.archive();
    const owner = stage.work();
    await owner.turn(harness.channelId, 'show me');
    owner.decide = 'reject_once';
    await owner.turn(harness.channelId, 'and again');
    const done = () =>
      stage.query<{ n: number }>("SELECT count(*) AS n FROM turns WHERE status = 'ended' AND source = 'owner'");
    await until('both turns', () => done()[0]?.n === 2);
    await until('the controls', () => stage.query("SELECT 1 FROM controls WHERE status = 'applied'").length >= 2);

    expect(statSync(stage.file).mode & 0o777).toBe(0o600);
    expect(statSync(`${stage.file}-wal`).mode & 0o777).toBe(0o600);
    const roles = stage
      .query<{ role: string }>('SELECT DISTINCT role FROM records ORDER BY role')
      .map(({ role }) => role);
    expect(roles).toEqual(expect.arrayContaining(['control', 'telemetry']));
    expect(stage.query('SELECT turns, agent_name, key_made_by FROM sessions')).toEqual([
      { turns: 2, agent_name: 'demo', key_made_by: 'agent' },
    ]);
    expect(stage.query("SELECT type FROM controls WHERE type = 'prompt'")).toHaveLength(2);
    const decisions = stage.query<{ option_kind: string; decided_by: string; waited_ms: number }>(
      'SELECT option_kind, decided_by, waited_ms FROM permissions ORDER BY asked_at',
    );
    expect(decisions.map(({ option_kind, decided_by }) => [option_kind, decided_by])).toEqual([
      ['allow_once', 'owner'],
      ['reject_once', 'owner'],
    ]);
    expect(decisions.every(({ waited_ms }) => waited_ms >= 0 && waited_ms < 30_000)).toBe(true);
    expect(stage.query('SELECT 1 FROM commands_run WHERE exit_code = 0').length).toBeGreaterThan(0);
    expect(stage.query("SELECT 1 FROM files_touched WHERE action = 'write'").length).toBeGreaterThan(0);
    expect(stage.query('SELECT * FROM gaps')).toEqual([]);

    const db = joinArchiveFile(stage.file);
    if (!db.ok) throw new Error(db.error.message);
    const kept = [...createReader(db.value, packer, crypto).events(stage.agent, harness.stream, 1, 1e9)];
    db.value.close();
    const seen = owner.fold.log.range(harness.stream, 1, 1e9);
    for (const event of seen) expect(kept[event.seq - 1]).toEqual(event);

    await archive.close();
    const report = verifyArchiveFile(stage.file, { crypto });
    expect(report.ok && [report.value.problems, report.value.views]).toEqual([[], { state: 'match' }]);
  });

  it('AR2: keeps usage reports, also those that were stored while it was off', async () => {
    stage = await Stage.open();
    await stage.reportUsage('turn 1');
    await stage.archive();
    await until('the usage', () => stage.query('SELECT 1 FROM usage').length === 1);
    await stage.reportUsage('turn 2');
    await until('more usage', () => stage.query('SELECT 1 FROM usage').length === 2);
    expect(stage.query<Record<string, unknown>>('SELECT * FROM usage ORDER BY n')[0]).toMatchObject({
      agent: stage.agent,
      turn_id: 'turn 1',
      model: 'm1',
      input_tokens: 3,
      output_tokens: 5,
      total_tokens: 8,
      cost_usd: 0.25,
    });
  });

  it('AR3: what was missed while it was off is asked for: it ends complete', async () => {
    stage = await Stage.open();
    const harness = await stage.harness('echoes.mjs');
    const owner = stage.work();
    const first = await stage.archive();
    await owner.turn(harness.channelId, 'one two three');
    await until('the first turn', () => stage.query("SELECT 1 FROM turns WHERE outcome = 'completed'").length === 1);
    await first.close();
    for (const text of ['four five six', 'seven eight nine']) await owner.turn(harness.channelId, text);
    const second = await stage.archive();
    await until('all turns', () => stage.query("SELECT 1 FROM turns WHERE outcome = 'completed'").length === 3);
    await owner.turn(harness.channelId, 'ten');
    await until('the live turn', () => stage.query("SELECT 1 FROM turns WHERE outcome = 'completed'").length === 4);
    await until('no gap', () => stage.query('SELECT 1 FROM gaps').length === 0);
    const said = stage.query<{ text: string }>("SELECT text FROM messages WHERE author = 'agent' ORDER BY at");
    expect(said.map(({ text }) => text)).toEqual(['one two three', 'four five six', 'seven eight nine', 'ten']);
    expect(stage.logs).toEqual([]);
    await second.close();
    expect(stage.query("SELECT type FROM statements WHERE type <> 'checkpoint'")).toEqual([]);
  });

  it('AR4: what the harness no longer has is a named gap', async () => {
    stage = await Stage.open();
    const harness = await stage.harness('echoes.mjs', { spoolBytes: 100_000 });
    const owner = stage.work();
    await owner.turn(harness.channelId, 'before');
    const first = await stage.archive();
    await until('the turn', () => stage.query("SELECT 1 FROM turns WHERE outcome = 'completed'").length === 1);
    await first.close();
    for (let i = 0; i < 4; i++) await owner.turn(harness.channelId, `never kept ${'word '.repeat(800)}`);
    await stage.archive();
    await owner.turn(harness.channelId, 'after');
    await until('the newest turn', () => stage.query("SELECT 1 FROM messages WHERE text = 'after'").length > 0);
    // It may be told twice: by the harness, and in answer to what was asked for.
    const named = "SELECT session FROM gaps WHERE events > 20 AND reason LIKE '%lost by the harness: spool_full%'";
    expect(await until('the gap', () => stage.query(named)[0])).toEqual({ session: 1 });
  });

  it('AR5: a second keeper of one file is refused; a reader is not', async () => {
    stage = await Stage.open();
    await stage.archive();
    await expect(stage.archive()).rejects.toMatchObject({
      code: 'in-use',
      message: expect.stringContaining(stage.file),
    });
    expect(stage.query('SELECT at_rest FROM about')).toEqual([{ at_rest: 'open' }]);
  });

  it('AR103: a relay that does not know the key is told of once, with what it said', async () => {
    stage = await Stage.open();
    const { logs } = stage;
    await stage.archive({ file: `${stage.file}.stranger`, ownerSecret: crypto.randomBytes(32) });
    await until('the word about it', () =>
      logs.some((text) => /nothing is received from ws:.*(restricted|not|allow)/.test(text)),
    );
    expect(logs).toHaveLength(1);
  });

  it('AR6: of several agents only those that are wanted are kept', async () => {
    stage = await Stage.open();
    const harness = await stage.harness('echoes.mjs');
    const archive = await stage.archive({ keeps: (agent) => agent !== stage.agent });
    await stage.work().turn(harness.channelId, 'not kept');
    archive.checkpoint();
    expect(stage.query('SELECT * FROM records')).toEqual([]);
    expect(stage.query('SELECT * FROM texts')).toEqual([]);
  });
});
