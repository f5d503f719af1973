import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { TranscriptFold } from './fold.ts';
import type { Transcript } from './model.ts';
import { CHANNEL, MiniHarness, type RecordedLine } from './testing/mini-harness.ts';

const SESSIONS = new URL('../../../fixtures/sessions/', import.meta.url);
const TRANSCRIPTS = new URL('../../../fixtures/transcripts/', import.meta.url);
const BLESS = process.env.UPDATE_TRANSCRIPTS === '1';

function record(name: string): readonly RecordedLine[] {
  const text = readFileSync(new URL(`${name}.ndjson`, SESSIONS), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RecordedLine);
}

/** What is shown, without the reducer's own memory. */
function shown({ channelId, streams, session, turns }: Transcript): string {
  return `${JSON.stringify({ channelId, streams, session, turns }, null, 1)}\n`;
}

describe('recorded sessions of real agents', () => {
  const names = readdirSync(SESSIONS).flatMap((file) => (file.endsWith('.ndjson') ? [file.slice(0, -7)] : []));
  it.each(names)('TR1: %s replays to its blessed transcript', (name) => {
    const fold = new TranscriptFold();
    for (const event of new MiniHarness().play(record(name)).events) fold.insert(event);
    const golden = new URL(`${name}.transcript.json`, TRANSCRIPTS);
    const transcript = shown(fold.transcript(CHANNEL));
    if (BLESS) writeFileSync(golden, transcript);
    expect(transcript).toBe(readFileSync(golden, 'utf8'));
  });
});
