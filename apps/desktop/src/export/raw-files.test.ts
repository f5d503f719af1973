import { TranscriptFold } from '@heliograph/transcript';
import { expect, test } from 'vitest';
import { StoryAgent } from '../dev/story-agent.ts';
import { type RawSelection, rawFileParts, sessionLines, streamsOf } from './raw-files.ts';

const story = new StoryAgent({ name: 'Claude', host: 'h', cwd: '/srv', startMs: Date.UTC(2026, 10, 30) })
  .prompt('go')
  .say('Grüße \u2028 \u0000')
  .end('end_turn');
const fold = new TranscriptFold();
for (const event of story.events) fold.insert(event);

function download(selection: RawSelection, of = fold): Buffer {
  return Buffer.concat(
    rawFileParts(of.log, streamsOf(of.transcript(story.channelId).streams, story.presence().run), selection),
  );
}

const written = (kinds: readonly string[]) =>
  story.events
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ payload }) => `${payload}\n`)
    .join('');

test('DT15: a download is what one side wrote, or both in the order of the wire, byte for byte', () => {
  expect(download('read').toString()).toBe(written(['acp_read']));
  expect(download('write').toString()).toBe(written(['acp_write']));
  expect(download('all').toString()).toBe(written(['acp_read', 'acp_write']));
  expect(download('read').toString()).toContain('"agentInfo"');
});

test('DT15: a line that is no UTF-8 comes out as its bytes, a last one without a line end without one', () => {
  const broken = new TranscriptFold();
  for (const event of story.events) broken.insert(event);
  const last = story.events.at(-1);
  const bytes = Uint8Array.of(0xff, 0x7b, 0x0d);
  const base = { ...(last as NonNullable<typeof last>), kind: 'acp_parse_error', unterminated: true } as const;
  const payload = JSON.stringify({
    line: '\ufffd{',
    error: 'not UTF-8',
    direction: 'read',
    bytes: Buffer.from(bytes).toString('base64'),
  });
  broken.insert({ ...base, seq: base.seq + 1, timestamp: base.timestamp.replace(/\d{3}Z$/, '999Z'), payload });
  expect(download('read', broken)).toEqual(Buffer.concat([Buffer.from(written(['acp_read'])), bytes]));
});

test('DT15: the rail shows every line that a download holds, in the same order', () => {
  const { streams } = fold.transcript(story.channelId);
  const lines = sessionLines(fold.log, streams, story.presence().run, story.channelId);
  const shown = Array.from({ length: lines.length }, (_, at) => lines.at(at)).filter(
    (line) => line?.direction !== 'note',
  );
  expect(shown.map((line) => `${line?.text}\n`).join('')).toBe(download('all').toString());
});
