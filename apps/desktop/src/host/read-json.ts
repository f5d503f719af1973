import type { IncomingMessage } from 'node:http';
import { err, ok, type Result } from '@heliograph/wire';
import { type Reply, refuse } from './http-reply.ts';

const MAX_BODY_BYTES = 64 * 1024;

/** The JSON object in a request's body, at most 64 KiB of it. */
export async function readJson(request: IncomingMessage): Promise<Result<Record<string, unknown>, Reply>> {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    return err(refuse(415, 'not-json', 'The body must be application/json.'));
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    // Read on without keeping it: an answer to a body half sent would be lost with the connection.
    if (length <= MAX_BODY_BYTES) chunks.push(chunk);
    else if (length > 16 * MAX_BODY_BYTES) break;
  }
  if (length > MAX_BODY_BYTES) return err(refuse(413, 'too-large', `The body may have ${MAX_BODY_BYTES} bytes.`));
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return ok(value as Record<string, unknown>);
    }
  } catch {
    return err(refuse(400, 'not-json', 'The body is no JSON.'));
  }
  return err(refuse(400, 'not-json', 'The body must be a JSON object.'));
}
