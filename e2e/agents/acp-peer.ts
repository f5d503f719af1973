import { spawn } from 'node:child_process';

// The other end of an agent's stdio, reduced to what the recorder needs. It shares nothing with the product on purpose:
// what it wrote down is the independent witness the product's reading is compared with.

/** One line of a session: `read` came from the agent, `write` went to it; `t` is ms since the agent was started. */
export interface RecordedLine {
  readonly t: number;
  readonly dir: 'read' | 'write';
  readonly line: string;
}

// biome-ignore lint/suspicious/noExplicitAny: a JSON-RPC message of somebody else's program, read field by field
export type Message = any;

export interface AcpPeer {
  readonly lines: readonly RecordedLine[];
  readonly stderr: () => string;
  request(method: string, params: object): Promise<Message>;
  notify(method: string, params: object): void;
  /** Resolves with the first agent message from now on that satisfies `wanted`. */
  next(wanted: (message: Message) => boolean): Promise<Message>;
  close(): void;
}

/** Starts an agent and speaks JSON-RPC lines with it. `onRequest` answers what the agent asks, with a result or an error. */
export function startPeer(
  [program = '', ...args]: readonly string[],
  options: { cwd: string; env: Record<string, string> },
  onRequest: (message: Message) => { result: object } | { error: object },
): AcpPeer {
  const child = spawn(program, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  const startedMs = performance.now();
  const lines: RecordedLine[] = [];
  const answers = new Map<number, (message: Message) => void>();
  const waiting = new Set<{ wanted: (m: Message) => boolean; done: (m: Message) => void }>();
  let failed: Error | undefined;
  const failures = new Set<(error: Error) => void>();
  let stderr = '';
  let rest = Buffer.alloc(0);
  let lastId = 0;

  const note = (dir: RecordedLine['dir'], line: string) =>
    lines.push({ t: Math.round(performance.now() - startedMs), dir, line });
  const write = (message: object) => {
    const line = JSON.stringify({ jsonrpc: '2.0', ...message });
    note('write', line);
    child.stdin.write(`${line}\n`);
  };
  const orFail = <T>(start: (resolve: (value: T) => void) => void): Promise<T> =>
    new Promise((resolve, reject) => {
      if (failed) return reject(failed);
      failures.add(reject);
      start((value) => {
        failures.delete(reject);
        resolve(value);
      });
    });

  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdin.on('error', () => {});
  child.on('error', (error) => fail(error));
  child.on('exit', (code, signal) => fail(new Error(`the agent ended with ${signal ?? code}: ${stderr.slice(-2000)}`)));
  function fail(error: Error) {
    failed = error;
    for (const reject of failures) reject(error);
  }

  child.stdout.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = rest.subarray(0, end).toString('utf8');
      rest = rest.subarray(end + 1);
      note('read', line);
      receive(JSON.parse(line));
    }
  });
  function receive(message: Message) {
    if (message.method === undefined) answers.get(message.id)?.(message);
    else if (message.id !== undefined) write({ id: message.id, ...onRequest(message) });
    for (const waiter of waiting) {
      if (waiter.wanted(message)) {
        waiting.delete(waiter);
        waiter.done(message);
      }
    }
  }

  return {
    lines,
    stderr: () => stderr,
    request(method, params) {
      const id = ++lastId;
      return orFail((resolve) => {
        answers.set(id, resolve);
        write({ id, method, params });
      });
    },
    notify: (method, params) => write({ method, params }),
    next: (wanted) => orFail((done) => waiting.add({ wanted, done })),
    close() {
      // Some agents outlive the end of their input, and some leave children: the whole group goes.
      if (child.pid) process.kill(-child.pid, 'SIGKILL');
    },
  };
}
