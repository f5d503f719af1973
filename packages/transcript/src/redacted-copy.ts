import type { ObserverEvent } from '@heliograph/wire/observer';

const MARK = /\[redacted(?::[a-z0-9-]{1,40})?\]/;

/**
 * Whether one of two events of one identity is the other with texts replaced: marked as redacted, and but for its marks the
 * same text. Two that are both exact never are.
 */
export function isRedactedCopy(a: ObserverEvent, b: ObserverEvent): boolean {
  return (
    (a.redacted !== undefined && fits(a.payload, b.payload)) || (b.redacted !== undefined && fits(b.payload, a.payload))
  );
}

/** Whether a text reads as this one where that has marks; what stands between them must be there in order. */
function fits(redacted: string, exact: string): boolean {
  const parts = redacted.split(MARK);
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  if (parts.length === 1) return redacted === exact;
  if (!exact.startsWith(first) || !exact.endsWith(last)) return false;
  let from = first.length;
  for (const part of parts.slice(1, -1)) {
    const at = exact.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return from <= exact.length - last.length;
}
