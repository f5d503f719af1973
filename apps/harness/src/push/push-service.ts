import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { outerLookup } from './push-endpoint.ts';

/** One message as a push service takes it (RFC 8030, 8292). */
export interface PushRequest {
  readonly url: URL;
  readonly authorization: string;
  readonly body: Uint8Array;
  /** Seconds the service keeps it for a device that is away. */
  readonly ttlSec: number;
  readonly urgency: 'high' | 'normal';
  /** A later message of the same topic takes the place of one that was not delivered. */
  readonly topic: string;
  /** Gives it up. */
  readonly signal?: AbortSignal;
}

/**
 * What became of it. `taken`: the service has it. `gone`: the subscription is over. `refused`: this will not be taken, however
 * often it is sent. `later`: not now; after `afterMs` where the service said so.
 */
export type PushOutcome =
  | { readonly code: 'taken' | 'gone' }
  | { readonly code: 'refused'; readonly message: string }
  | { readonly code: 'later'; readonly message: string; readonly afterMs: number | undefined };

const TIMEOUT_MS = 15_000;
const MAX_AFTER_MS = 3_600_000;

/** Sends one message; never rejects. Redirects are not followed, and of what a service answers only the status is read. */
export function sendPush({
  url,
  authorization,
  body,
  ttlSec,
  urgency,
  topic,
  signal,
}: PushRequest): Promise<PushOutcome> {
  const isPlain = url.protocol === 'http:';
  const options: RequestOptions = {
    method: 'POST',
    timeout: TIMEOUT_MS,
    signal: AbortSignal.any([AbortSignal.timeout(2 * TIMEOUT_MS), ...(signal === undefined ? [] : [signal])]),
    headers: {
      Authorization: authorization,
      'Content-Encoding': 'aes128gcm',
      'Content-Type': 'application/octet-stream',
      'Content-Length': body.length,
      TTL: ttlSec,
      Urgency: urgency,
      Topic: topic,
    },
    // A plain one is on this machine: the endpoint was checked to be.
    ...(isPlain ? {} : { lookup: outerLookup }),
  };
  return new Promise((resolve) => {
    const sent = (isPlain ? httpRequest : httpsRequest)(url, options, (response) => {
      resolve(outcomeOf(response.statusCode ?? 0, url.host, response.headers['retry-after']));
      response.destroy();
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.on('error', (cause: NodeJS.ErrnoException) => {
      const message = `${url.host} can’t be reached: ${cause.message}`;
      resolve(cause.code === 'EINNER' ? { code: 'refused', message } : { code: 'later', message, afterMs: undefined });
    });
    sent.end(body);
  });
}

/** What a status means. Pure. */
export function outcomeOf(status: number, host: string, retryAfter?: string): PushOutcome {
  if (status >= 200 && status < 300) return { code: 'taken' };
  if (status === 404 || status === 410) return { code: 'gone' };
  const message = `${host} answered ${status}${HINTS[status] ?? ''}`;
  if (status !== 429 && status < 500) return { code: 'refused', message };
  const seconds = /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined;
  return {
    code: 'later',
    message,
    afterMs: seconds === undefined ? undefined : Math.min(seconds * 1_000, MAX_AFTER_MS),
  };
}

const HINTS: Readonly<Record<number, string>> = {
  400: ': the subscription was made for another key, or the contact (--push-subject) is not accepted',
  401: ': the subscription was made for another key, or the contact (--push-subject) is not accepted',
  403: ': the subscription was made for another key, or the contact (--push-subject) is not accepted',
};
