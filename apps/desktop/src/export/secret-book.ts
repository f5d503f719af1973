import type { Item } from '@heliograph/transcript';
import { type HiddenSecret, outermost } from './hidden-secrets.ts';
import type { PieceSecret } from './joined-pieces.ts';

/** A text that is saved: one of an item, by its path there, or a line, by its place among the lines. */
export type SavedText = { readonly item: Item; readonly path: string } | number;

/** The secrets of one text: put in order when they are read, not at every one that comes. */
class TextSecrets {
  #secrets: readonly PieceSecret[] = [];
  #added: PieceSecret[] = [];

  add(secrets: readonly PieceSecret[]): void {
    for (const secret of secrets) this.#added.push(secret);
  }

  /** Those that lie within another are none of their own. */
  all(): readonly PieceSecret[] {
    if (this.#added.length > 0) this.#secrets = outermost([...this.#secrets, ...this.#added]);
    this.#added = [];
    return this.#secrets;
  }
}

/** Where secrets stand in all that is saved of a session. */
export class SecretBook {
  readonly #lines = new Map<number, TextSecrets>();
  readonly #items = new Map<Item, Map<string, TextSecrets>>();

  /** Notes secrets of one text. */
  add(where: SavedText, secrets: readonly PieceSecret[]): void {
    if (secrets.length > 0) this.#open(where).add(secrets);
  }

  #open(where: SavedText): TextSecrets {
    if (typeof where === 'number') return opened(this.#lines, where, () => new TextSecrets());
    const paths = opened(this.#items, where.item, () => new Map<string, TextSecrets>());
    return opened(paths, where.path, () => new TextSecrets());
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
    const secrets = typeof where === 'number' ? this.#lines.get(where) : this.#items.get(where.item)?.get(where.path);
    return secrets?.all() ?? [];
  }

  holds(item: Item): boolean {
    return this.#items.has(item);
  }

  /** Every secret that begins in an item, and every one that begins in a line. */
  inItem(item: Item): readonly PieceSecret[] {
    const texts = [...(this.#items.get(item)?.values() ?? [])];
    return texts.flatMap((text) => text.all()).filter(({ isFirst }) => isFirst);
  }

  inLine(at: number): readonly PieceSecret[] {
    return this.at(at).filter(({ isFirst }) => isFirst);
  }

  /** Every secret with its kind. */
  *all(): Generator<readonly [secret: string, kind: string]> {
    const texts = [...this.#items.values()].flatMap((paths) => [...paths.values()]);
    for (const text of [...texts, ...this.#lines.values()])
      for (const { secret, kind } of text.all()) yield [secret, kind];
  }
}

function opened<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
