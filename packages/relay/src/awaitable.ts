import { err, ok, type Result } from '@heliograph/wire';

/** A value now, or later: a file answers in the same step, a server does not. */
export type Awaitable<T> = T | Promise<T>;

/** Goes on with a value: in the same step when it is there, else once it is. */
export function whenReady<T, R>(value: Awaitable<T>, next: (value: T) => R): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** All values, in order; in the same step when all are there. */
export function allReady<T>(values: readonly Awaitable<T>[]): Awaitable<readonly T[]> {
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as readonly T[]);
}

/** What `act` gives; what it throws or rejects with is the error. Never throws or rejects itself. */
export function attempt<T>(act: () => Awaitable<T>): Awaitable<Result<T, unknown>> {
  try {
    const value = act();
    return value instanceof Promise ? value.then(ok, err) : ok(value);
  } catch (cause) {
    return err(cause);
  }
}
