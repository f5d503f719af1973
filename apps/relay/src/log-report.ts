import type { RelayEffect } from '@heliograph/relay';
import { encodeNpub } from '@heliograph/wire';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

/** Writes down, and counts, what the engine reports; never what an event holds. */
export function logReport(
  { connection, report }: Extract<RelayEffect, { type: 'report' }>,
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
): void {
  switch (report.type) {
    case 'admitted':
      log.info({ connection, role: report.role, key: encodeNpub(report.pubkey) }, 'key admitted');
      break;
    case 'refused':
      log.warn({ connection, key: encodeNpub(report.pubkey), reason: report.message }, 'key refused');
      break;
    case 'admission-ended':
      log.info({ connection, key: encodeNpub(report.pubkey) }, 'attestation ended');
      break;
    case 'connection-ended':
      metrics.add('dropped_total', `reason="${/^([a-z-]+): /.exec(report.message)?.[1] ?? 'full'}"`);
      log.info({ connection, reason: report.message }, 'connection ended by the relay');
      break;
    case 'query-failed':
      log.error({ connection, ...describeFault(report.cause) }, 'a query failed');
      break;
    case 'shared-refused':
      metrics.add('cluster_refused_total', 'reason="forged"');
      log.warn({ reason: report.message }, 'another relay sent an event that is forged');
      break;
  }
}

/** An error without its content: SQLite's messages name tables and limits, never values. */
export function describeFault(cause: unknown): { code: unknown; reason: string } {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return { code, reason: cause instanceof Error ? cause.message : String(cause) };
}
