import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nobleCrypto as crypto } from '@heliograph/crypto/noble';
import { VIEWS_VERSION } from '@heliograph/record';
import type { Transcript } from '@heliograph/transcript';
import { expect, it } from 'vitest';
import { itemRow, sessionFacts, turnRow } from './item-rows.ts';

const GOLDEN = join(import.meta.dirname, '../../../fixtures/transcripts');

/** What is shown of the recorded sessions, as one hash. */
function shown(): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(GOLDEN)
    .filter((file) => file.endsWith('.json'))
    .sort()) {
    const { turns, streams, session } = JSON.parse(readFileSync(join(GOLDEN, name), 'utf8')) as Transcript;
    const context = { stream: streams[0] ?? '', cwd: session.cwd, salt: new Uint8Array(16), crypto };
    const rows = turns.map((turn) => [turnRow(turn, context.stream), turn.items.map((item) => itemRow(item, context))]);
    hash.update(JSON.stringify([sessionFacts(session), rows]));
  }
  return hash.digest('hex').slice(0, 16);
}

it('AR131: whoever shows other rows of the same records raises VIEWS_VERSION, and writes the new hash beside it', () => {
  expect([VIEWS_VERSION, shown()]).toEqual([2, 'c4ed15a0dc5a84cc']);
});
