import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { classifyLine } from '@heliograph/wire/acp';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TranscriptFold } from './fold.ts';
import type { Transcript } from './model.ts';
import { CHANNEL, MiniHarness, type RecordedLine } from './testing/mini-harness.ts';
import { insanities } from './testing/sane.ts';

const SESSIONS = new URL('../../../fixtures/sessions/', import.meta.url);
const TRANSCRIPTS = new URL('../../../fixtures/transcripts/', import.meta.url);
/** Write what comes out, to be read by a person before it is committed. */
const BLESS = process.env.UPDATE_TRANSCRIPTS === '1';

const NAMES = readdirSync(SESSIONS).flatMap((file) => (file.endsWith('.ndjson') ? [file.slice(0, -7)] : []));

function recording(name: string): readonly RecordedLine[] {
  const text = readFileSync(new URL(`${name}.ndjson`, SESSIONS), 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as RecordedLine]));
}

function fold(lines: readonly RecordedLine[], quiet = false): TranscriptFold {
  const folded = new TranscriptFold();
  for (const event of new MiniHarness({ quiet }).play(lines).events) folded.insert(event);
  return folded;
}

/** What is shown, without the reducer's own memory. */
function shown({ channelId, streams, session, turns }: Transcript): string {
  return `${JSON.stringify({ channelId, streams, session, turns }, null, 1)}\n`;
}

describe('recorded sessions of real agents', () => {
  it.each(NAMES)('TR1: %s replays to its blessed transcript', (name) => {
    const golden = new URL(`${name}.transcript.json`, TRANSCRIPTS);
    const transcript = shown(fold(recording(name)).transcript(CHANNEL));
    if (BLESS) writeFileSync(golden, transcript);
    expect(transcript).toBe(readFileSync(golden, 'utf8'));
  });

  it.each(NAMES)('TR7: %s has the same turns when only its lines are known', (name) => {
    const lines = recording(name);
    const [told, alone] = [fold(lines).transcript(CHANNEL).turns, fold(lines, true).transcript(CHANNEL).turns];
    const outline = (turns: Transcript['turns']) =>
      turns.map(({ status, outcome, stopReason, usage, items }) => ({
        ...{ status, outcome, stopReason, usage },
        items: items.map((item) => [item.kind, 'status' in item ? item.status : '', 'parts' in item ? item.parts : '']),
      }));
    expect(outline(alone)).toEqual(outline(told));
  });

  it('TR5: with lines lost, doubled, swapped or changed they still give a sane view', () => {
    const recordings = NAMES.map(recording);
    const mutation = fc.record({
      at: fc.nat(),
      to: fc.nat(),
      how: fc.constantFrom('lose', 'double', 'swap', 'replace'),
      member: fc.nat({ max: 40 }),
      value: fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(null, '', 0, 'completed', 'cancelled', [], {})),
    });
    fc.assert(
      fc.property(fc.nat({ max: recordings.length - 1 }), fc.array(mutation, { maxLength: 8 }), (which, mutations) => {
        const lines = mutations.reduce(mutate, recordings[which] ?? []);
        const folded = fold(lines);
        for (const channelId of [CHANNEL, null]) expect(insanities(folded.transcript(channelId))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

interface Mutation {
  readonly at: number;
  readonly to: number;
  readonly how: string;
  readonly member: number;
  readonly value: unknown;
}

function mutate(lines: readonly RecordedLine[], { at, to, how, member, value }: Mutation): readonly RecordedLine[] {
  const [here, there] = [at % lines.length, to % lines.length];
  const [one, other] = [lines[here], lines[there]];
  if (one === undefined || other === undefined) return lines;
  if (how === 'lose') return lines.toSpliced(here, 1);
  if (how === 'double') return lines.toSpliced(there, 0, one);
  if (how === 'swap') return lines.with(here, other).with(there, one);
  return lines.with(here, { ...one, line: replaceMember(one.line, member, value) });
}

/** The line with the n-th value in it, counted from the innermost, replaced. */
function replaceMember(text: string, n: number, value: unknown): string {
  if (!classifyLine(text).ok) return text;
  let left = n;
  return JSON.stringify(JSON.parse(text, (_, found) => (left-- === 0 ? value : found)) ?? null);
}
