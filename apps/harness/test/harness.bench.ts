import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { hexEncode } from '@heliograph/wire';
import * as nip44 from 'nostr-tools/nip44';
import { finalizeEvent } from 'nostr-tools/pure';
import { HarnessProcess } from './support/harness-process.ts';
import { Stage } from './support/stage.ts';

/**
 * `npx tsx apps/harness/test/harness.bench.ts [lines]`: what mirroring costs an agent, against the same agent piped into `cat`;
 * how fast lines get to the viewer, against one event per line made with nostr-tools; and how large the harness grows while
 * `lines` lines pass and the relay is away. Ratios of one run.
 */
const BURST = 20_000;
const PEER_LINES = 1_000;
/** Processor time (10 ms each) that no idle harness uses. */
const BUSY_TICKS = 300;
const MANY = Number(process.argv[2] ?? 1_000_000);
const FLOODS = new URL('../../../fixtures/agents/floods.mjs', import.meta.url).pathname;
const say = (text: string) => void process.stdout.write(`${text}\n`);

/** The agent alone, its output through `cat`: ms from the prompt to its answer, and its lines. */
async function plain(count: number): Promise<{ ms: number; lines: string[] }> {
  const child = spawn('sh', ['-c', `"${process.execPath}" "${FLOODS}" | cat`], { stdio: ['pipe', 'pipe', 'inherit'] });
  const send = (id: number, method: string, params: object) =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  const lines: string[] = [];
  let startMs = 0;
  send(1, 'initialize', {});
  for await (const line of createInterface(child.stdout)) {
    if (line.includes('"id":1,')) {
      startMs = performance.now();
      send(2, 'session/prompt', { sessionId: 'S1', prompt: [{ type: 'text', text: String(count) }] });
    } else if (line.includes('"id":2,')) break;
    else lines.push(line);
  }
  const ms = performance.now() - startMs;
  child.stdin.end();
  return { ms, lines };
}

/** The same agent in a harness: ms of its turn, and ms until the viewer has every line. */
async function mirrored(stage: Stage): Promise<{ turnMs: number; seenMs: number }> {
  const harness = await HarnessProcess.start(stage, { script: 'floods.mjs' });
  const viewer = await stage.watch();
  await viewer.until('the session', () => viewer.find('session_resolved'));
  const startMs = performance.now();
  viewer.prompt(harness.channelId, String(BURST));
  await viewer.until('every line', () => viewer.size >= BURST);
  const seenMs = performance.now() - startMs;
  const timeOf = async (kind: string) => {
    const { event } = await viewer.until(kind, () => viewer.find(kind));
    return Number(event.timestamp.slice(17, 26)) * 1_000 + Number(event.timestamp.slice(14, 16)) * 60_000;
  };
  const turnMs = (await timeOf('turn_completed')) - (await timeOf('turn_started'));
  harness.kill();
  await harness.exited;
  return { turnMs, seenMs };
}

/** One event per line with nostr-tools, to the same relay: ms for all to be made and acknowledged. */
async function peer(stage: Stage, lines: readonly string[]): Promise<number> {
  const line = await stage.ownerLine();
  const agent = hexEncode(stage.crypto.publicKey(stage.agentKey));
  const key = nip44.getConversationKey(stage.ownerKey, agent);
  const tags = [
    ['p', agent],
    ['agent', agent],
    ['frame', 'control'],
  ];
  const startMs = performance.now();
  const answers = lines.map((text) => {
    const content = nip44.encrypt(text, key);
    const event = finalizeEvent(
      { kind: 24_200, created_at: Math.floor(Date.now() / 1_000), tags, content },
      stage.ownerKey,
    );
    // Made by the peer on purpose: our type for verified events is not its business.
    return line.publish(event as never);
  });
  await Promise.all(answers);
  return performance.now() - startMs;
}

/** The harness's memory while lines pass and the relay is away: until its pipe is empty, seen by its processor time standing still. */
async function growth(stage: Stage): Promise<{ beforeMib: number; peakMib: number; ms: number }> {
  const harness = await HarnessProcess.start(stage, { script: 'floods.mjs' });
  const viewer = await stage.watch();
  await viewer.until('the session', () => viewer.find('session_resolved'));
  const mib = (field: string) =>
    Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${harness.pid}/status`, 'utf8'))?.[1]) / 1_024;
  const ticks = () => {
    const fields = readFileSync(`/proc/${harness.pid}/stat`, 'utf8').split(' ');
    return Number(fields[13]) + Number(fields[14]);
  };
  const beforeMib = mib('VmRSS');
  const startMs = performance.now();
  viewer.prompt(harness.channelId, String(MANY));
  await viewer.until('the turn', () => viewer.find('turn_started'));
  await stage.closeRelay();
  // The agent first makes all its lines, and then writes them.
  const first = ticks();
  for (let before = first, idle = 0; idle < 4; ) {
    await setTimeout(1_000);
    const now = ticks();
    idle = now - before > 10 || now - first < BUSY_TICKS ? 0 : idle + 1;
    before = now;
  }
  const ms = performance.now() - startMs;
  const peakMib = mib('VmHWM');
  harness.kill();
  await harness.exited;
  return { beforeMib, peakMib, ms };
}

const stage = await Stage.open();
const alone = await plain(BURST);
const { turnMs, seenMs } = await mirrored(stage);
say(
  `turn of ${BURST} lines: ${Math.round(alone.ms)} ms through cat, ${Math.round(turnMs)} ms in the harness: ${(turnMs / alone.ms).toFixed(2)} x`,
);
const peerMs = await peer(stage, alone.lines.slice(0, PEER_LINES));
const [ours, theirs] = [(BURST / seenMs) * 1_000, (PEER_LINES / peerMs) * 1_000];
say(
  `lines/s from the agent to the viewer: ${Math.round(ours)}; one nostr-tools event per line to the relay's OK: ${Math.round(theirs)}: ${(ours / theirs).toFixed(1)} x`,
);
const { beforeMib, peakMib, ms } = await growth(stage);
say(
  `memory while ${MANY} lines pass without a relay: ${Math.round(beforeMib)} MiB before, ${Math.round(peakMib)} MiB at most (${Math.round(ms / 1_000)} s)`,
);
await stage.close();
