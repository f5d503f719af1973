/** The outcome of something the world can get wrong: a value, or an error with a literal `code` (errors are values). */
export type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

/** A successful result. */
export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

/** A failed result. */
export function err<E>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error };
}

/** A value, or a promise of it: local keys answer at once, extensions and remote signers later. */
export type Awaitable<T> = T | Promise<T>;
