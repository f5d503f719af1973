/** A value of a row as SQLite gives it. */
export type CsvValue = string | number | bigint | null | undefined;

/** What a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * One line of CSV (RFC 4180) with its end. Texts that a spreadsheet would run as a formula get an apostrophe in front,
 * which it shows as text; numbers stay numbers.
 */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: CsvValue): string {
  if (typeof value !== 'string') return value === null || value === undefined ? '' : String(value);
  // NUL ends a cell in some readers, so that something else could follow it.
  const text = value.replaceAll('\0', '\u2400');
  const safe = FORMULA.test(text.trimStart()) || FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}
