import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { decodeEnvelope, hexEncode, KIND_OBSERVER, localSigner } from '@heliograph/wire';
import * as nip44 from 'nostr-tools/nip44';
import { finalizeEvent } from 'nostr-tools/pure';
import { HarnessProcess } from './support/harness-process.ts';
import { Stage } from './support/stage.ts';
import type { Watcher } from './support/watcher.ts';
import { linesOf } from './support/written-lines.ts';

/**
 * `npm run bench:harness [-- lines]`: what mirroring costs an agent, against the same agent through `cat`; how fast lines get
 * to the relay's OK, against one event per line made with nostr-tools; what it adds to one line; and how large the harness
 * grows while `lines` lines pass and the relay is away. Ratios of one run.
 */
const BURST = 20_000;
const ROUNDS = 7;
const PEER_LINES = 1_000;
const TICKS = 250;
const TICK_ROUNDS = 3;
const FRAME_BYTES = 700;
/** Many more frames than the relay lets through at once before it paces. */
const SLOW_BURST = 100_000;
const FRAMES_PER_SEC = 20;
const TICK_MS = 10;
const MANY = Number(process.argv[2] ?? 1_000_000);
/** Processor time that no idle harness uses, in all and in a second. */
const BUSY_MS = Math.min(3_000, MANY / 100);
const IDLE_MS = 100;
const AGENTS = new URL('../../../fixtures/agents/', import.meta.url).pathname;
const say = (text: string) => void process.stdout.write(`${text}\n`);
const sorted = (values: readonly number[]) => [...values].sort((a, b) => a - b);
const at = (values: readonly number[], part: number) => sorted(values)[Math.floor(part * (values.length - 1))] ?? 0;

/** However busy the machine is. */
async function when(is: () => boolean): Promise<void> {
  while (!is()) await setTimeout(1);
}

interface Burst {
  /** What its writing took the agent, by its own clock. */
  readonly writtenMs: number;
  readonly lines: readonly string[];
}

/** The agent alone, its output through `cat`. */
async function plain(count: number): Promise<Burst> {
  const pipe = `"${process.execPath}" "${AGENTS}floods.mjs" | cat`;
  const child = spawn('sh', ['-c', pipe], { stdio: ['pipe', 'pipe', 'inherit'] });
  const send = (id: number, method: string, params: object) =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  const chunks: Buffer[] = [];
  let isAsked = false;
  send(1, 'initialize', {});
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    if (!isAsked) send(2, 'session/prompt', { sessionId: 'S1', prompt: [{ type: 'text', text: String(count) }] });
    isAsked = true;
    if (chunk.includes('"id":2,')) break;
  }
  child.stdin.end();
  const lines = Buffer.concat(chunks).toString().trim().split('\n');
  const { writtenMs } = JSON.parse(lines.at(-1) ?? '').result._meta;
  return { writtenMs, lines: lines.slice(1, -1) };
}

/** The same agent in a harness: and ms until relay and viewer have every line. */
async function mirrored(
  viewer: Watcher,
  channelId: string,
  count: number,
): Promise<Burst & { readonly seenMs: number }> {
  let pieces = 0;
  let end = '';
  viewer.onEvent = ({ payload }) => {
    if (payload.includes('"piece ')) pieces++;
    else if (payload.includes('"writtenMs":')) end = payload;
  };
  const startMs = performance.now();
  viewer.prompt(channelId, String(count));
  await when(() => pieces >= count && end !== '');
  return { writtenMs: JSON.parse(end).result._meta.writtenMs, lines: [], seenMs: performance.now() - startMs };
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
  const answers: Promise<unknown>[] = [];
  for (const text of lines) {
    const content = nip44.encrypt(text, key);
    const event = finalizeEvent(
      { kind: 24_200, created_at: Math.floor(Date.now() / 1_000), tags, content },
      stage.ownerKey,
    );
    // Made by the peer on purpose: our type for verified events is not its business.
    answers.push(line.publish(event as never));
  }
  await Promise.all(answers);
  return performance.now() - startMs;
}

const nowMs = () => performance.timeOrigin + performance.now();
const saidMs = (line: string) => Number(/"tick \d+ (\d+\.\d+)/.exec(line)?.[1] ?? Number.NaN);

/** From an agent's clock before it writes a line to whoever reads `cat`, one line every 20 ms. */
async function delaysThroughCat(): Promise<number[]> {
  const pipe = `AGENT_EVERY_MS=20 "${process.execPath}" "${AGENTS}ticks.mjs" | cat`;
  const child = spawn('sh', ['-c', pipe], { stdio: ['pipe', 'pipe', 'inherit'] });
  const params = { sessionId: 'S1', prompt: [{ type: 'text', text: String(TICKS) }] };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'session/prompt', params })}\n`);
  const found: number[] = [];
  for await (const line of createInterface(child.stdout)) {
    const readMs = nowMs();
    if (line.includes('"tick ')) found.push(readMs - saidMs(line));
    if (found.length >= TICKS) break;
  }
  child.stdin.end();
  return found;
}

/** What the spool's disk takes for so much as one line's frame, appended and synced, once every 20 ms. */
async function diskDelays(stage: Stage, round: number): Promise<number[]> {
  const file = await open(stage.file(`disk-${round}`), 'a');
  const found: number[] = [];
  for (let tick = 0; tick < TICKS; tick++) {
    const startMs = performance.now();
    await file.appendFile('x'.repeat(FRAME_BYTES));
    await file.datasync();
    found.push(performance.now() - startMs);
    await setTimeout(20);
  }
  await file.close();
  return found;
}

interface Delays {
  /** From the agent's clock to the harness handing the line's frame to its socket. */
  readonly sent: readonly number[];
  /** The part of it that begins where the harness has read the line, as it tells in whole ms. */
  readonly inside: readonly number[];
  /** From the agent's clock to the viewer. */
  readonly seen: readonly number[];
}

async function delaysInHarness(stage: Stage, round: number): Promise<Delays> {
  const sends = stage.file(`sends-${round}`);
  const harness = await HarnessProcess.start(stage, {
    script: 'ticks.mjs',
    agentEnv: { AGENT_EVERY_MS: '20' },
    sends,
  });
  const viewer = await stage.watch();
  const seen: number[] = [];
  viewer.onEvent = ({ payload }) => {
    if (payload.includes('"tick ')) seen.push(nowMs() - saidMs(payload));
  };
  viewer.prompt(harness.channelId, String(TICKS));
  await when(() => seen.length >= TICKS);
  viewer.close();
  harness.kill();
  await harness.exited;
  const owner = localSigner(stage.ownerKey, stage.crypto);
  const firstSent = new Map<string, { readonly sent: number; readonly inside: number }>();
  for (const record of linesOf(sends)) {
    const [atMs, text = ''] = record.split('\t');
    const [type, event] = JSON.parse(text);
    if (type !== 'EVENT' || event.kind !== KIND_OBSERVER) continue;
    const opened = await owner.decrypt(stage.agent, event.content);
    const envelope = opened.ok ? decodeEnvelope(opened.value, stage.crypto) : opened;
    for (const { payload, timestamp } of envelope.ok ? envelope.value.events : []) {
      if (!payload.includes('"tick ') || firstSent.has(payload)) continue;
      const sentMs = Number(atMs);
      firstSent.set(payload, { sent: sentMs - saidMs(payload), inside: sentMs - Date.parse(timestamp) });
    }
  }
  const found = [...firstSent.values()];
  return { sent: found.map(({ sent }) => sent), inside: found.map(({ inside }) => inside), seen };
}

/** A process's user and system time so far, in ms. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ');
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
}

/** The harness's memory while lines pass and the relay is away: until its pipe is empty, seen by its processor time standing still. */
async function growth(stage: Stage): Promise<{ beforeMib: number; mib: number[]; peakMib: number; ms: number }> {
  const harness = await HarnessProcess.start(stage, { script: 'floods.mjs' });
  const viewer = await stage.watch();
  await viewer.until('the session', () =>
    viewer.events(harness.stream).some(({ kind }) => kind === 'session_resolved'),
  );
  const mibOf = (field: string) =>
    Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${harness.pid}/status`, 'utf8'))?.[1]) / 1_024;
  const beforeMib = mibOf('VmRSS');
  const startMs = performance.now();
  viewer.prompt(harness.channelId, String(MANY));
  // Of this run: what harnesses that were killed before had not sent comes, too.
  await viewer.until('the turn', () => viewer.events(harness.stream).some(({ kind }) => kind === 'turn_started'));
  await stage.closeRelay();
  const firstMs = processorMs(harness.pid);
  const mib: number[] = [];
  for (let beforeMs = firstMs, idle = 0; idle < 4; ) {
    await setTimeout(1_000);
    const nowMs = processorMs(harness.pid);
    idle = nowMs - beforeMs > IDLE_MS || nowMs - firstMs < BUSY_MS ? 0 : idle + 1;
    beforeMs = nowMs;
    mib.push(mibOf('VmRSS'));
  }
  const ms = performance.now() - startMs;
  const peakMib = mibOf('VmHWM');
  harness.kill();
  await harness.exited;
  return { beforeMib, mib, peakMib, ms };
}

const rate = (count: number, ms: number) => (count / ms) * 1_000;
const stage = await Stage.open();
const harness = await HarnessProcess.start(stage, { script: 'floods.mjs' });
const viewer = await stage.watch();
await viewer.until('the session', () => viewer.find('session_resolved'));
const alone: Burst[] = [await plain(BURST)];
const through = [await mirrored(viewer, harness.channelId, BURST)];
const warmMs = processorMs(harness.pid);
// In turns, so that what else the machine does meets both alike; the first of each warmed up.
for (let round = 1; round < ROUNDS; round++) {
  alone.push(await plain(BURST));
  through.push(await mirrored(viewer, harness.channelId, BURST));
}
const lineMs = (processorMs(harness.pid) - warmMs) / (BURST * (ROUNDS - 1));
const median = (values: readonly number[]) => at(values.slice(1), 0.5);
const cat = median(alone.map(({ writtenMs }) => writtenMs));
const ours = median(through.map(({ writtenMs }) => writtenMs));
const seenMs = median(through.map((burst) => burst.seenMs));
const lines = alone[0]?.lines ?? [];
const lineBytes = lines.reduce((sum, line) => sum + line.length + 1, 0) / BURST;
say(
  `${BURST} lines of ${lineBytes.toFixed(0)} bytes, written by the agent in ${cat.toFixed(0)} ms through cat, ${ours.toFixed(0)} ms in the harness: ${(ours / cat).toFixed(2)} x`,
);
say(
  `processor time of the harness: ${(lineMs * 1_000).toFixed(1)} us a line, ${(lineBytes / lineMs / 1_000).toFixed(1)} MB/s of lines saturate it`,
);
const theirs = rate(PEER_LINES, await peer(stage, lines.slice(0, PEER_LINES)));
say(
  `lines/s, agent to relay's OK and viewer: ${rate(BURST, seenMs).toFixed(0)}; one nostr-tools event per line to the relay's OK: ${theirs.toFixed(0)}: ${(rate(BURST, seenMs) / theirs).toFixed(1)} x`,
);
const port = Number(new URL(stage.relayUrl).port);
await stage.closeRelay();
await stage.openRelay(port, undefined, { eventsPerSec: FRAMES_PER_SEC });
await when(() => viewer.isConnected);
const slow = await mirrored(viewer, harness.channelId, SLOW_BURST);
say(
  `${SLOW_BURST} lines to a relay that allows ${FRAMES_PER_SEC} frames/s: ${rate(SLOW_BURST, slow.seenMs).toFixed(0)} lines/s; one event per line comes to ${FRAMES_PER_SEC} at most: ${(rate(SLOW_BURST, slow.seenMs) / FRAMES_PER_SEC).toFixed(0)} x`,
);
viewer.close();
harness.kill();
await harness.exited;
await stage.closeRelay();
await stage.openRelay(port);
const plainly: number[] = [];
const sent: number[] = [];
const inside: number[] = [];
const disk: number[] = [];
const seen: number[] = [];
for (let round = 0; round < TICK_ROUNDS; round++) {
  plainly.push(...(await delaysThroughCat()));
  disk.push(...(await diskDelays(stage, round)));
  const delays = await delaysInHarness(stage, round);
  sent.push(...delays.sent);
  inside.push(...delays.inside);
  seen.push(...delays.seen);
}
const told = (values: readonly number[]) =>
  `p50 ${at(values, 0.5).toFixed(1)} ms, p99 ${at(values, 0.99).toFixed(1)} ms`;
const added = (part: number) => at(sent, part) - at(plainly, part);
say(
  `one line every 20 ms, from the agent's clock: through cat ${told(plainly)}; to the socket of the harness ${told(sent)}; added: p50 ${added(0.5).toFixed(1)} ms, p99 ${added(0.99).toFixed(1)} ms; from its reading to the socket ${told(inside)}, of which the disk alone takes ${told(disk)}; to the viewer ${told(seen)}`,
);
const { beforeMib, mib, peakMib, ms } = await growth(stage);
say(
  `memory while ${MANY} lines pass without a relay: ${beforeMib.toFixed(0)} MiB before, ${peakMib.toFixed(0)} MiB at most, in ${(ms / 1_000).toFixed(0)} s; each second: ${mib.map((m) => m.toFixed(0)).join(' ')}`,
);
await stage.close();
