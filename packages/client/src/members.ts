/** Members of what an agent sent: anything may stand in them. */
export type Members = Readonly<Record<string, unknown>>;

/** What should be a list of objects, as far as it is one. */
export function listOf<T = Members>(value: unknown): readonly Partial<T>[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'object' && entry !== null) : [];
}

export function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
