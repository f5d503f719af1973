import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Body, type HistoryItem, type Protocol, protocols } from './model-protocols.ts';
import { type Stage, scripts, type Turn } from './script.ts';

/** One request the server answered: which script and turn it chose, and whether the agent hung up before the end. */
export interface ModelRequest {
  readonly protocol: Protocol['name'];
  readonly script: string | undefined;
  readonly turn: number;
  /** The model that was asked for. */
  readonly model: string;
  /** Names of the tools the agent offered. */
  readonly tools: readonly string[];
  readonly body: Body;
  aborted: boolean;
}

export interface ModelServer {
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  close(): Promise<void>;
}

/** Requests without tools are side questions (a title, who speaks next); this answers all that were seen. */
const SIDE_ANSWER: Turn = [
  { type: 'say', pieces: ['{"title":"Scripted session","next_speaker":"user","reasoning":"scripted"}'] },
];

/** The script named last by the user, and how many turns the model has taken since. */
function place(history: readonly HistoryItem[]): { script: string | undefined; turn: number } {
  let script: string | undefined;
  let turn = 0;
  let previous: HistoryItem['by'] = 'other';
  for (const item of history) {
    const named = item.by === 'user' ? [...item.text.matchAll(/script:(\w+)/g)].at(-1)?.[1] : undefined;
    if (named) {
      script = named;
      turn = 0;
    } else if (item.by === 'model' && previous !== 'model') turn++;
    previous = item.by;
  }
  return { script, turn };
}

function chooseTurn(script: string | undefined, turn: number, stage: Stage): Turn {
  const play = (scripts as Record<string, (stage: Stage) => readonly Turn[]>)[script ?? ''];
  return play?.(stage)[turn] ?? [{ type: 'say', pieces: [`no turn ${turn} in script ${script}`] }];
}

/** Starts a model server on a free loopback port that plays the scripts on `stage`. */
export async function startModelServer(stage: Stage): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const server = createServer((request, response) => {
    answer(request, response, stage, requests).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  stage: Stage,
  requests: ModelRequest[],
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://model');
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const json = (status: number, value: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  if (pathname.endsWith('/models')) {
    return void json(200, {
      object: 'list',
      has_more: false,
      models: [],
      data: [
        { id: 'scripted', object: 'model', type: 'model', display_name: 'Scripted', created: 1, owned_by: 'test' },
      ],
    });
  }
  if (/count_?tokens$/i.test(pathname)) return void json(200, { input_tokens: 100, totalTokens: 100 });
  const protocol = protocols.find((p) => p.matches(pathname));
  if (!protocol) return void json(404, { error: { message: `no model protocol at ${pathname}` } });

  const body: Body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  const { script, turn } = place(protocol.history(body));
  const tools = protocol.toolNames(body);
  const isSide = tools.length === 0 || script === undefined;
  const actions = isSide ? SIDE_ANSWER : chooseTurn(script, turn, stage);
  const entry: ModelRequest = {
    protocol: protocol.name,
    script: isSide ? undefined : script,
    turn,
    model: body.model ?? /models\/([^:]+):/.exec(pathname)?.[1] ?? '',
    tools,
    body,
    aborted: false,
  };
  requests.push(entry);
  if (entry.script === 'outage')
    return void json(500, { error: { type: 'api_error', message: 'the model is overloaded' } });
  const id = `${requests.length}`;

  if (!body.stream && !pathname.includes('stream')) return void json(200, protocol.whole(actions, body, id));
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }).flushHeaders();
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  try {
    if (actions.length === 0) await once(response, 'close', { signal: gone.signal });
    for (const frame of protocol.frames(actions, body, id)) {
      if ('pauseMs' in frame) await pause(frame.pauseMs, undefined, { signal: gone.signal });
      else if (!response.write(eventText(frame.event, frame.data)))
        await once(response, 'drain', { signal: gone.signal });
    }
    response.end();
  } catch (error) {
    if (!gone.signal.aborted) throw error;
    entry.aborted = true;
  }
}

/** U+2028 is escaped because some agents split the event stream at it; inside JSON the value stays the same. */
function eventText(event: string | undefined, data: unknown): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data).replaceAll('\u2028', '\\u2028');
  return `${event ? `event: ${event}\n` : ''}data: ${text}\n\n`;
}
