import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ObserverEvent, ParseErrorPayload } from '@heliograph/wire';
import { payloadOf } from '@heliograph/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

/** The bytes of the line that an event tells of, without its line feed. */
function lineBytes(event: ObserverEvent): Buffer | undefined {
  if (event.kind === 'acp_read') return Buffer.from(event.payload);
  if (event.kind !== 'acp_parse_error') return undefined;
  const { line = '', bytes } = payloadOf<ParseErrorPayload>(event) ?? {};
  return bytes === undefined ? Buffer.from(line) : Buffer.from(bytes, 'base64');
}

const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('a hostile agent', () => {
  test('HA38: what the viewer receives equals, by hash, what the agent wrote; nothing it writes becomes an event of ours', async () => {
    const tee = stage.file('tee');
    const harness = await stage.harness({
      script: 'hostile-lines.mjs',
      agentEnv: { AGENT_TEE: tee, AGENT_BIG_BYTES: '16000000' },
    });
    const viewer = await stage.watch();
    viewer.prompt(harness.channelId, 'go');
    await viewer.until('the exit', () => viewer.find('agent_exited'));
    const whole = () => viewer.isWhole(harness.run) && viewer.isWhole(harness.stream);
    viewer.resync();
    await viewer.until('everything before the viewer came', whole);
    await harness.close();
    const isClosed = (stream: string) => viewer.rawEvents(stream).at(-1)?.kind === 'stream_closed';
    await viewer.until('the end of both streams', () => isClosed(harness.run) && isClosed(harness.stream) && whole());

    // Timestamps order the lines of all streams as they were on the wire.
    const events = viewer.events().toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
    const read = events.filter(({ kind }) => kind === 'acp_read' || kind === 'acp_parse_error');
    const written = readFileSync(tee);
    const expected = splitLines(written).filter((line) => !/^[ \t\r\n]*$/.test(line.toString('latin1')));
    const got = read.map((event) => lineBytes(event) as Buffer);
    expect(got.map(hash)).toEqual(expected.map(hash));
    expect(read.filter(({ unterminated }) => unterminated === true)).toHaveLength(1);
    expect(read.at(-1)?.unterminated).toBe(true);

    const forged = events.filter(({ kind }) =>
      ['permission_terminal', 'permission_pending', 'acp_elided'].includes(kind),
    );
    expect(forged).toEqual([]);
    expect(events.filter(({ kind }) => kind === 'turn_completed')).toHaveLength(1);
    expect(viewer.warnings).toEqual([]);
    const answers = events
      .filter(({ kind, via }) => kind === 'acp_write' && via === 'harness')
      .map(({ payload }) => payload);
    const refused = answers.filter((line) => line.includes('-32601')).map((line) => /"id":([^,]+),/.exec(line)?.[1]);
    // Every request is answered by the id as it was written, and nothing else is.
    expect(refused).toEqual(['null', '1.0', '9007199254740993', '"0"', '0', '0', '5']);
  });

  test('HA45: a line over the limit is passed by, its ends and hash recorded, and what follows is read', async () => {
    const tee = stage.file('tee');
    const harness = await stage.harness({
      script: 'hostile-lines.mjs',
      agentEnv: { AGENT_TEE: tee, AGENT_BIG_BYTES: '300000' },
      maxLineBytes: 250_000,
    });
    const viewer = await stage.watch();
    viewer.prompt(harness.channelId, 'go');
    await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    const elided = viewer.events().filter(({ kind }) => kind === 'acp_elided');
    const large = splitLines(readFileSync(tee)).filter((line) => line.length > 250_000);
    expect(elided.map((event) => payloadOf<{ sha256: string }>(event)?.sha256)).toEqual(large.map(hash));
    expect(elided[0]?.stream).toBe(harness.stream);
  });
});

describe('values that hurt who walks them', () => {
  const rules = [
    { decide: 'reject', path: '/**/secrets/**/x' },
    { decide: 'reject', command: '*rm*-rf*' },
  ] as const;

  test.each(['initialize', 'session'])(
    'HA210: nested 200,000 deep in the answer to %s, the start goes on',
    async (at) => {
      const harness = await stage.harness({ script: 'hostile-values.mjs', agentEnv: { AGENT_DEEP: at } });
      const viewer = await stage.watch();
      viewer.prompt(harness.channelId, 'hello');
      await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    },
  );

  test.each(['permission', 'config', 'form', 'info', 'tool', 'usage', 'error'])(
    'HA210: nested 200,000 deep in what an agent says (%s), the turn ends and who comes late is answered',
    async (name) => {
      const harness = await stage.harness({ script: 'hostile-values.mjs' });
      const viewer = await stage.watch();
      viewer.prompt(harness.channelId, name);
      await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
      await stage.watch();
    },
  );

  test.each(['dots', 'slashes'])(
    'HA211: texts that a matcher could go back in for hours (%s) hold nothing up',
    async (name) => {
      const harness = await stage.harness({ script: 'hostile-values.mjs', permissionRules: rules });
      const viewer = await stage.watch();
      viewer.prompt(harness.channelId, name);
      await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    },
  );

  test('HA203: a line that never ends is held by its ends and hash only, and told when the agent is gone; an unknown update arrives', async () => {
    const [tee, size] = [stage.file('tee'), 20_000_000];
    const agentEnv = { AGENT_TEE: tee, AGENT_LINE_BYTES: String(size) };
    const harness = await stage.harness({ script: 'never-ends-a-line.mjs', agentEnv, maxLineBytes: 250_000 });
    const viewer = await stage.watch();
    viewer.prompt(harness.channelId, 'go');
    const { event, payload } = await viewer.until('the line', () =>
      viewer.find<{ bytes: number; sha256: string }>('acp_elided'),
    );
    const line = splitLines(readFileSync(tee)).at(-1) as Buffer;
    expect(line).toHaveLength(size);
    expect(payload).toMatchObject({ bytes: size, sha256: hash(line) });
    expect(event.unterminated).toBe(true);
    expect(viewer.events(harness.stream).some(({ payload: text }) => text.includes('kind_of_next_year'))).toBe(true);
    const end = await viewer.until('the end', () => viewer.find<{ outcome: string }>('turn_completed'));
    expect(end.payload.outcome).toBe('failed');
  });
});

function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  if (start < bytes.length) lines.push(bytes.subarray(start));
  return lines;
}
