import type { Item } from '@heliograph/transcript';
import { type HiddenSecret, outermost } from './hidden-secrets.ts';
import type { PieceSecret } from './joined-pieces.ts';

/** A text that is saved: one of an item, by its path there, or a line, by its place among the lines. */
export type SavedText = { readonly item: Item; readonly path: string } | number;

/** Where secrets stand in all that is saved of a session. */
export class SecretBook {
  readonly #lines = new Map<number, readonly PieceSecret[]>();
  readonly #items = new Map<Item, Map<string, readonly PieceSecret[]>>();

  /** Notes secrets of one text; those that lie within another there are none of their own. */
  add(where: SavedText, secrets: readonly PieceSecret[]): void {
    if (secrets.length === 0) return;
    const all = outermost([...this.at(where), ...secrets]);
    if (typeof where === 'number') {
      this.#lines.set(where, all);
      return;
    }
    const paths = this.#items.get(where.item) ?? new Map<string, readonly PieceSecret[]>();
    this.#items.set(where.item, paths.set(where.path, all));
  }

  /** Notes secrets that stand whole in one text. */
  addWhole(where: SavedText, secrets: readonly HiddenSecret[]): void {
    if (secrets.length > 0)
      this.add(
        where,
        secrets.map((secret) => ({ ...secret, isFirst: true })),
      );
  }

  at(where: SavedText): readonly PieceSecret[] {
    if (typeof where === 'number') return this.#lines.get(where) ?? [];
    return this.#items.get(where.item)?.get(where.path) ?? [];
  }

  holds(item: Item): boolean {
    return this.#items.has(item);
  }

  /** Every secret that begins in an item, and every one that begins in a line. */
  inItem(item: Item): readonly PieceSecret[] {
    return [...(this.#items.get(item)?.values() ?? [])].flat().filter(({ isFirst }) => isFirst);
  }

  inLine(at: number): readonly PieceSecret[] {
    return this.at(at).filter(({ isFirst }) => isFirst);
  }

  /** Every secret with its kind. */
  *all(): Generator<readonly [secret: string, kind: string]> {
    const lists = [...this.#items.values()].flatMap((paths) => [...paths.values()]);
    for (const { secret, kind } of [...lists, ...this.#lines.values()].flat()) yield [secret, kind];
  }
}
