import type { Log } from './log.ts';

/** Something that was started and can be ended. */
interface Closable {
  close(): Promise<void>;
}

/** What a command that keeps running starts its parts with. */
export interface Life {
  /** Starts a part; it is closed when the life ends, later parts first, even if it ends during the start. */
  start<T extends Closable>(name: string, start: () => Promise<T>): Promise<T>;
  /** Ends the life with this exit code. */
  end(exitCode: number): void;
}

const closeDeadlineMs = 10_000;
/** npm and a terminal both pass on one Ctrl-C: a second one that soon is the same one. */
const echoMs = 700;
const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs what `begin` starts until a signal or one of the parts ends it, then closes everything in reverse order. Gives
 * the exit code; rejects with what `begin` failed with, after closing what it had started.
 */
export async function live(log: Log, begin: (life: Life) => Promise<void>): Promise<number> {
  const parts: { name: string; starting: Promise<Closable> }[] = [];
  const { promise: ended, resolve: end } = withResolvers<number>();
  let firstSignalMs: number | undefined;
  let closing = false;

  const onSignal = (signal: NodeJS.Signals) => {
    const nowMs = performance.now();
    if (firstSignalMs === undefined) {
      firstSignalMs = nowMs;
      log.info({ signal }, 'ending; once more ends at once');
      end(0);
    } else if (nowMs - firstSignalMs > echoMs) {
      log.warn({ signal }, 'ended at once');
      process.exit(1);
    }
  };
  for (const signal of endSignals) process.on(signal, onSignal);

  const life: Life = {
    start(name, start) {
      // Once the end has begun nothing more starts: the one who waits for it is not waited for.
      if (closing) return new Promise(() => {});
      const starting = start();
      parts.push({ name, starting });
      return starting;
    },
    end,
  };
  try {
    const begun = begin(life).then(() => ended);
    return await Promise.race([ended, begun]);
  } finally {
    closing = true;
    await closeAll(parts.reverse(), log);
    for (const signal of endSignals) process.off(signal, onSignal);
  }
}

async function closeAll(parts: readonly { name: string; starting: Promise<Closable> }[], log: Log): Promise<void> {
  const timer = setTimeout(() => {
    log.error({}, `not everything ended within ${closeDeadlineMs / 1000} s; ending anyway`);
    process.exit(1);
  }, closeDeadlineMs);
  for (const { name, starting } of parts) {
    try {
      await (await starting).close();
    } catch (error) {
      // A part that never started was reported by the one who waited for it.
      log.debug({ err: error }, `${name} did not end in order`);
    }
  }
  clearTimeout(timer);
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
