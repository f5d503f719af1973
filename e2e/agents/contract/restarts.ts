import type { Turn } from '@heliograph/transcript';
import {
  type ObserverEvent,
  payloadOf,
  type SessionResolved,
  type StreamOpened,
  type TurnError,
} from '@heliograph/wire';
// biome-ignore lint/correctness/noUndeclaredDependencies: the test runner belongs to the root
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentLife } from '../agent-life.ts';
import { type AgentName, type AgentProfile, agents } from '../agents.ts';
import { itemsOf, spoken } from '../turn-words.ts';

/** The model says a word every 20 ms: two seconds of them, for a machine that is busy, are far less than all that was said. */
const MAX_LOST_WORDS = 100;

/** The tests of one agent that ends in every way it can, and goes on where it was. */
export const describeRestarts = (names: readonly AgentName[]) =>
  describe.each(names)('%s', (name) => {
    const { abilities }: AgentProfile = agents[name];
    const reopening = `session/${abilities.reopens}`;
    let life: AgentLife;
    /** Id and words of every turn so far: what a session that is opened again may not change. */
    let told: (readonly string[])[] = [];
    /** Sessions opened so far, and whether the newest is an earlier one that was opened again. */
    let opened = 1;
    let isReopened = false;
    /** Part of an answer that the newest session holds. */
    let held = 'I chose the second one.';

    beforeAll(async () => {
      life = await AgentLife.begin(name);
      await life.owner.play('think');
    });
    afterAll(() => life?.end());

    const turnsOf = (isOwners: boolean) => life.owner.turns().filter(({ source }) => (source === 'owner') === isOwners);
    const words = (turn: Turn) =>
      [turn.id, ...(['user', 'thought', 'agent'] as const).map((kind) => spoken(turn, kind))] as const;
    const resolved = () =>
      life.owner
        .events('session_resolved')
        .toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1))
        .map((event) => payloadOf<SessionResolved>(event));
    const written = (method: string) =>
      life.rawLines().filter(({ direction, label }) => direction === 'write' && label === method);

    /** An answer is being streamed. */
    async function streaming(): Promise<string> {
      const turnId = await life.owner.prompt('endless');
      await life.owner.hasSaid(turnId, 'word 10 ');
      return turnId;
    }

    /** The turn ended once, as `outcome` with this error; what had been said still stands. */
    async function endedBy(turnId: string, outcome: string, error: string | undefined): Promise<void> {
      expect(await life.owner.ended(turnId)).toMatchObject({ outcome });
      const mine = (event: ObserverEvent) => event.turnId === turnId;
      expect(life.owner.events('turn_completed').filter(mine)).toHaveLength(1);
      const errors = error === undefined ? [] : [error];
      expect(
        life.owner
          .events('turn_error')
          .filter(mine)
          .map((e) => payloadOf<TurnError>(e)?.outcome),
      ).toEqual(errors);
      expect(itemsOf(life.owner.turn(turnId), 'error').map((item) => item.outcome)).toEqual(errors);
      told = turnsOf(true).map(words);
    }

    /** The session was opened again, nothing of it is shown twice, and the model hears what was said; or it is said that it does not. */
    async function goesOn(): Promise<void> {
      const before = resolved()[opened - 1];
      opened++;
      isReopened = abilities.reopensAgain === true || !isReopened;
      const turn = await life.owner.play('text');
      expect(spoken(turn, 'agent')).toBe(life.said('text'));
      expect(JSON.stringify(life.lastRequest('text')?.body).includes(held)).toBe(isReopened);
      held = 'Light carries far';
      expect(resolved()).toHaveLength(opened);
      const now = resolved()[opened - 1];
      if (isReopened) expect(now).toMatchObject({ sessionId: before?.sessionId, isNewSession: false });
      else expect(now).toMatchObject({ isNewSession: true, contextLost: expect.stringContaining('only once') });
      expect(now?.sessionId === before?.sessionId).toBe(isReopened);
      expect(turnsOf(true).slice(0, -1).map(words)).toEqual(told);
      // What the agent repeats stands in no turn of its own.
      const kinds = turnsOf(false).flatMap(({ items }) => items.map(({ kind }) => kind));
      expect(kinds.filter((kind) => kind !== 'notice')).toEqual([]);
    }

    test('AG18: a prompt sent while the session is opened again waits, and is taken back', async () => {
      life.mirrored.hold(`"${reopening}"`);
      const turnId = await streaming();
      life.signal('SIGKILL');
      await endedBy(turnId, 'failed', 'exited');
      const queued = await life.owner.send('text');
      expect(queued).toMatchObject({ status: 'queued', reason: 'the agent is starting' });
      await life.watcher.until(reopening, () => written(reopening)[0]);
      expect(await life.owner.cancel()).toMatchObject({ status: 'no_active_turn' });
      expect(await life.owner.unqueue(queued.requestId ?? '')).toMatchObject({ status: 'removed' });
      life.mirrored.hold(undefined);
    });

    test(`AG19: killed with -9 in mid-answer it goes on in the same session (${reopening})`, () => goesOn());

    const again = abilities.reopensAgain === true ? 'its session again' : `a new session (${abilities.reopensAgain})`;
    test(`AG17: restarted by its owner in mid-answer it opens ${again}`, async () => {
      const turnId = await streaming();
      expect(await life.watcher.control({ type: 'restart_agent' })).toMatchObject({ status: 'applied' });
      await endedBy(turnId, abilities.restarted, abilities.restarted === 'killed' ? 'exited' : undefined);
      await goesOn();
    });

    test('AG20: frozen, it is killed by a cancel, said so, and goes on in the same session', async () => {
      const turnId = await streaming();
      life.signal('SIGSTOP');
      expect(await life.owner.cancel(turnId)).toMatchObject({ status: 'killed', turnId });
      await endedBy(turnId, 'killed', 'cancel_drain_timeout');
      await goesOn();
    });

    test(`AG21: a harness started again opens ${again}`, async () => {
      told = turnsOf(true).map(words);
      expect(await life.mirrored.program.stop()).toBe(0);
      await expect.poll(() => life.processes()).toEqual([]);
      await life.mirrored.startAgain();
      await life.watcher.until('the new run', () => resolved()[opened]);
      await goesOn();
    });

    test('AG6: the raw lines equal what the tee saw, both ways', async () => {
      await life.mirrorsTee();
      expect(life.watcher.warnings).toEqual([]);
    });

    const thirdTime = abilities.reopensAgain === true ? again : 'its session again, which it did not do before';
    test(`AG25: its harness killed with -9 in mid-answer and started again, it opens ${thirdTime}; only the last words may be missing, which is said`, async () => {
      const turnId = await streaming();
      const before = life.processes();
      await life.mirrored.program.stop('SIGKILL');
      await life.mirrored.startAgain();
      await expect.poll(() => life.processes().filter((pid) => before.includes(pid))).toEqual([]);
      await life.watcher.until('the new run', () => resolved()[opened]);
      const lost = await life.lostLines();
      expect(lost.write).toEqual([]);
      expect(lost.read.filter((line) => !line.includes('"word '))).toEqual([]);
      expect(lost.read.length).toBeLessThan(MAX_LOST_WORDS);
      const unclean = life.owner
        .events('stream_opened')
        .filter((event) => payloadOf<StreamOpened>(event)?.continues?.clean === false);
      expect(unclean).toHaveLength(1);
      expect(life.owner.turn(turnId)).toMatchObject({ status: 'ended', outcome: 'unknown' });
      told = turnsOf(true).map(words);
      await goesOn();
      expect(life.watcher.warnings).toEqual([]);
    });
  });
