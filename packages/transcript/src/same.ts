import type { Item, Turn } from './model.ts';

/** Whether two plain values say the same: objects by their members, arrays by their entries. */
export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((entry, i) => same(entry, b[i]));
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && same(left[key], right[key]))
  );
}

/** `next`, but with the turns and items of `before` wherever they say the same: who draws them need not draw them again. */
export function keepIdentity(before: readonly Turn[], next: readonly Turn[]): readonly Turn[] {
  const known = new Map(before.map((turn) => [turn.id, turn]));
  return next.map((turn) => {
    const old = known.get(turn.id);
    return old === undefined || old === turn ? turn : keepTurn(old, turn);
  });
}

function keepTurn(before: Turn, next: Turn): Turn {
  const known = new Map(before.items.map((item) => [item.id, item]));
  const items = next.items.map((item): Item => {
    const old = known.get(item.id);
    return old !== undefined && same(old, item) ? old : item;
  });
  const kept = { ...next, items };
  return same(before, kept) ? before : kept;
}
