import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

// biome-ignore lint/suspicious/noExplicitAny: the test reads whatever the agent wrote
export type Message = any;

/** The demo agent as a process of its own, and the messages it wrote so far. */
export interface Driven {
  readonly messages: readonly Message[];
  /** Sends one message, or any line at all. */
  send(message: object | string): void;
  /** Sends a request and gives the whole answer. */
  call(method: string, params: object): Promise<Message>;
  /** The first message, written already or later, that fits. */
  find(fits: (message: Message) => boolean): Promise<Message>;
  /** Closes its input and gives its exit code. */
  end(): Promise<number | null>;
}

export function driveDemoAgent(): Driven {
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', main, '--beat-ms', '1'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const messages: Message[] = [];
  const watchers = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    messages.push(JSON.parse(line));
    for (const watcher of watchers) watcher();
  });
  let lastId = 0;

  const send = (message: object | string) => {
    const line = typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message });
    child.stdin.write(`${line}\n`);
  };
  const find = (fits: (message: Message) => boolean) =>
    new Promise<Message>((resolve) => {
      const look = () => {
        const found = messages.find(fits);
        if (found === undefined) return;
        watchers.delete(look);
        resolve(found);
      };
      watchers.add(look);
      look();
    });
  return {
    messages,
    send,
    find,
    call(method, params) {
      lastId += 1;
      const id = lastId;
      send({ id, method, params });
      return find((message) => message.id === id && message.method === undefined);
    },
    async end() {
      child.stdin.end();
      return (await exited)[0];
    },
  };
}

/** The updates of one kind, in order. */
export function updatesOf(driven: Driven, kind: string): Message[] {
  return driven.messages.map((message) => message.params?.update).filter((update) => update?.sessionUpdate === kind);
}

/** The text streamed in chunks of one kind. */
export function streamedText(driven: Driven, kind: string): string {
  return updatesOf(driven, kind)
    .map((update) => update.content.text)
    .join('');
}
