/** Tolerant readers of values that came out of `JSON.parse`: own properties only, wrong types read as absent. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** The value as an object, `undefined` for anything else (arrays too). */
export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** Whether the member is there at all: absent and null mean different things in ACP. */
export function has(object: JsonObject, key: string): boolean {
  return Object.hasOwn(object, key);
}

/** A member, `undefined` when absent. */
export function member(object: JsonObject | undefined, key: string): unknown {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A string member. */
export function text(object: JsonObject | undefined, key: string): string | undefined {
  const value = member(object, key);
  return typeof value === 'string' ? value : undefined;
}

/** A finite number member. */
export function finite(object: JsonObject | undefined, key: string): number | undefined {
  const value = member(object, key);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** An object member. */
export function object(parent: JsonObject | undefined, key: string): JsonObject | undefined {
  return asObject(member(parent, key));
}

/** An array member. */
export function list(parent: JsonObject | undefined, key: string): readonly unknown[] | undefined {
  const value = member(parent, key);
  return Array.isArray(value) ? value : undefined;
}

/** The objects of an array member; entries of other types are left out. */
export function objects(parent: JsonObject | undefined, key: string): readonly JsonObject[] | undefined {
  return list(parent, key)
    ?.map(asObject)
    .filter((entry) => entry !== undefined);
}

/** JSON text of a parsed value; nesting too deep for the engine's serialiser reads as a note of that. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    return '"[nested too deeply to show]"'; // The raw line still shows it.
  }
}

/** A payload's JSON text as an object, `undefined` when it is none. */
export function parseObject(json: string): JsonObject | undefined {
  try {
    return asObject(JSON.parse(json));
  } catch {
    return undefined; // Whoever asked shows the event raw.
  }
}

/** The first `limit` UTF-16 units, never half a surrogate pair, with an ellipsis where something was cut. */
export function bounded(value: string, limit: number): string {
  if (value.length <= limit) return value;
  const last = value.charCodeAt(limit - 1);
  return `${value.slice(0, last >= 0xd800 && last < 0xdc00 ? limit - 1 : limit)}…`;
}
