/** SQL with its parameters, in the order of the question marks that stand for them. */
export interface Sql {
  readonly text: string;
  readonly params: readonly SqlParam[];
}

/** What a parameter may be; lists only where the database has arrays. */
export type SqlParam = string | number | Buffer | readonly (string | number | Buffer)[];

/** One piece of SQL. */
export function sql(text: string, ...params: SqlParam[]): Sql {
  return { text, params };
}

/** Pieces in a row, parameters and all. */
export function join(separator: string, parts: readonly Sql[]): Sql {
  return { text: parts.map((part) => part.text).join(separator), params: parts.flatMap((part) => part.params) };
}
