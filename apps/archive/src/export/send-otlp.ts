import { err, ok, type Result } from '@heliograph/wire';
import { reasonOf } from './verify-export.ts';

/** Why a collector did not take the spans. */
export interface CollectorError {
  readonly code: 'collector';
  readonly message: string;
  readonly cause?: unknown;
}

const TIMEOUT_MS = 15_000;

/** Sends OTLP lines to a collector (OTLP/HTTP with JSON), one request a line. `url`: its base, or its traces path. Gives how many. */
export async function sendOtlp(url: string, lines: Iterable<string>): Promise<Result<number, CollectorError>> {
  const base = new URL(url);
  const target = base.pathname === '/' ? new URL('/v1/traces', base) : base;
  let sent = 0;
  for (const body of lines) {
    try {
      const answer = await fetch(target, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await answer.body?.cancel();
      if (!answer.ok) return failed(target, `it answered ${answer.status}`, sent);
    } catch (cause) {
      const inner = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause;
      return failed(target, reasonOf(inner), sent, cause);
    }
    sent++;
  }
  return ok(sent);
}

function failed(target: URL, why: string, sent: number, cause?: unknown): Result<never, CollectorError> {
  const message = `${target.origin}${target.pathname} did not take the spans (${why}); ${sent} requests were taken before. Sent again they have the same ids`;
  return err({ code: 'collector', message, cause });
}
