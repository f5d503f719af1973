import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendReply } from './http-reply.ts';
import { fileRequest, openStaticFiles } from './static-files.ts';

/** Answers a GET or HEAD; `path` is the request's below the page's own folder, without the query. */
export type ServePage = (request: IncomingMessage, response: ServerResponse, path: string) => void;

/**
 * The page alone, for another server of ours: it hands out files that anybody may have, so it answers whatever Host it is
 * asked by, and holds no key. Rejects with code `UI_MISSING` when there is no built page.
 */
export async function openPage(uiDir: string): Promise<ServePage> {
  const serveFile = await openStaticFiles(uiDir);
  return (request, response, path) => {
    serveFile(fileRequest(request, path)).then(
      (reply) => sendReply(request, response, reply),
      // Only unpacking can fail, for want of memory: that request is over, the server is not.
      () => response.destroy(),
    );
  };
}
