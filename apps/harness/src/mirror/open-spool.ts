import { join } from 'node:path';
import type { Clock } from '@heliograph/client';
import type { Log } from '../log.ts';
import { openDiskSpool } from './disk-spool.ts';
import { MemorySpool, type Spool, type SpoolPort } from './spool.ts';

const MAX_AGE_MS = 30 * 24 * 3_600_000;
const MAX_MEMORY_BYTES = 64 * 1_024 * 1_024;

export interface OpenSpoolOptions {
  readonly stateDir: string;
  readonly spoolBytes: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** The spool in the state folder with what earlier runs left, or one in memory where that folder can't be used. */
export async function openSpool({ stateDir, spoolBytes, clock, log }: OpenSpoolOptions) {
  const folder = join(stateDir, 'spool');
  try {
    return await openDiskSpool({
      folder,
      maxBytes: spoolBytes,
      maxAgeMs: MAX_AGE_MS,
      maxMemoryBytes: Math.min(spoolBytes, MAX_MEMORY_BYTES),
      clock,
      onTorn: (path, bytes, damagedLines) =>
        log.warn({ path, bytes, damagedLines }, 'the last run was cut short: what it had half written is left out'),
    });
  } catch (cause) {
    const error = cause instanceof Error ? cause : new Error(String(cause));
    return (port: SpoolPort): Spool => {
      // A turn later: who is told is still being made.
      setImmediate(() => port.onDisk(error));
      return new MemorySpool(Math.min(spoolBytes, MAX_MEMORY_BYTES), port);
    };
  }
}
