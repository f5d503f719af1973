import type { VerifiedEvent } from '@heliograph/wire';
import { expectTypeOf, it } from 'vitest';
import { STORE_CONTRACT } from './contract.ts';
import type { EventStore } from './event-store.ts';
import { MemoryStore } from './memory-store.ts';

it.each(STORE_CONTRACT)('memory $title', ({ check }) => check(new MemoryStore()));

it('RL4: writing an event that was not passed through storableEvent does not compile', () => {
  expectTypeOf<readonly VerifiedEvent[]>().not.toExtend<Parameters<EventStore['write']>[0]>();
});
