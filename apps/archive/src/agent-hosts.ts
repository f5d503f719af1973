import { createReader, type SqlDatabase, ViewStore } from '@heliograph/record';
import { type Crypto, payloadOf } from '@heliograph/wire';
import type { HarnessStarted } from '@heliograph/wire/observer';
import { packer } from './packer.ts';

/** What a harness says of itself stands at the beginning of its stream. */
const FIRST_EVENTS = 16;

/** The machine that an agent ran on when it made a stream, as its harness named it; undefined where that is not kept. */
export function agentHosts(db: SqlDatabase, crypto: Crypto): (agent: string, stream: string) => string | undefined {
  const reader = createReader(db, packer, crypto);
  const views = new ViewStore(db);
  const known = new Map<string, string | undefined>();
  const read = (agent: string, stream: string) => {
    const found = views.stream(agent, stream);
    const run = found === undefined || found.channelId === null ? stream : (views.runOf(found.stream) ?? stream);
    for (const event of reader.events(agent, run, 1, FIRST_EVENTS)) {
      const host = event.kind === 'harness_started' ? payloadOf<HarnessStarted>(event)?.host : undefined;
      if (typeof host === 'string' && host !== '') return host;
    }
    return undefined;
  };
  return (agent, stream) => {
    const key = `${agent} ${stream}`;
    if (!known.has(key)) known.set(key, read(agent, stream));
    return known.get(key);
  };
}
