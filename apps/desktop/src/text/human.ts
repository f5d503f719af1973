/** Numbers and times in words, short enough for a row. Times are ms; everything is written for one reading in English. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `now`, `12 s`, `4 m`, `3 h`, `2 d`: how long ago. */
export function formatAge(ageMs: number): string {
  if (ageMs < 5 * SECOND) return 'now';
  if (ageMs < MINUTE) return `${Math.floor(ageMs / SECOND)} s`;
  if (ageMs < HOUR) return `${Math.floor(ageMs / MINUTE)} m`;
  if (ageMs < DAY) return `${Math.floor(ageMs / HOUR)} h`;
  return `${Math.floor(ageMs / DAY)} d`;
}

/** `0.8 s`, `41 s`, `3 m 20 s`, `2 h 5 m`: how long it took. */
export function formatDuration(ms: number): string {
  if (ms < 10 * SECOND) return `${(Math.max(0, ms) / SECOND).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} m ${Math.floor((ms % MINUTE) / SECOND)} s`;
  return `${Math.floor(ms / HOUR)} h ${Math.floor((ms % HOUR) / MINUTE)} m`;
}

/** `940`, `76 k`, `1.2 M`: counts of tokens. */
export function formatCount(count: number): string {
  if (count < 1_000) return `${count}`;
  if (count < 9_950) return `${(count / 1_000).toFixed(1)} k`;
  if (count < 999_500) return `${Math.round(count / 1_000)} k`;
  return `${(count / 1_000_000).toFixed(1)} M`;
}

const GROUPED = new Intl.NumberFormat('en-US');

/** `4,117`: counts of lines. */
export function formatNumber(count: number): string {
  return GROUPED.format(count);
}

/** `940 B`, `31 KB`, `1.2 MB`, `5.1 GB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${Math.round(bytes)} B`;
  if (bytes < 999_500) return `${Math.round(bytes / 1_000)} KB`;
  if (bytes < 999_950_000) return `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}

/** `$0.41`, `EUR 1.20`: the currency as reported; an unknown one is written out. */
export function formatCost(cost: { readonly amount: number; readonly currency: string }): string {
  const digits = cost.amount !== 0 && Math.abs(cost.amount) < 0.1 ? 4 : 2;
  const sign = cost.currency === 'USD' ? '$' : `${cost.currency} `;
  return `${sign}${cost.amount.toFixed(digits)}`;
}

/** Milliseconds of an RFC 3339 time, undefined when it is none. */
export function parseTime(timestamp: string | undefined): number | undefined {
  const ms = timestamp === undefined ? Number.NaN : Date.parse(timestamp);
  return Number.isNaN(ms) ? undefined : ms;
}

/** `14:02`, the reader's own clock; with the date when it is another day than `nowMs`. */
export function formatClock(timestamp: string, nowMs: number): string {
  const ms = parseTime(timestamp);
  if (ms === undefined) return '';
  const [at, now] = [new Date(ms), new Date(nowMs)];
  const clock = `${`${at.getHours()}`.padStart(2, '0')}:${`${at.getMinutes()}`.padStart(2, '0')}`;
  return at.toDateString() === now.toDateString() ? clock : `${at.getDate()} ${MONTHS[at.getMonth()]} ${clock}`;
}

/** `Today`, `Yesterday`, `28 Nov`: a day by its midnight, for whoever reads at `nowMs`. */
export function formatDay(startMs: number, nowMs: number): string {
  // Rounded: days have 23 and 25 hours too.
  const daysAgo = Math.round((new Date(nowMs).setHours(0, 0, 0, 0) - startMs) / DAY);
  if (daysAgo === 0) return 'Today';
  if (daysAgo === 1) return 'Yesterday';
  const day = new Date(startMs);
  return `${day.getDate()} ${MONTHS[day.getMonth()]}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `14:03:10.412`: for lines, where order is read closely. */
export function formatExactClock(timestamp: string): string {
  const ms = parseTime(timestamp);
  if (ms === undefined) return '';
  const at = new Date(ms);
  const two = (n: number) => `${n}`.padStart(2, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${`${at.getMilliseconds()}`.padStart(3, '0')}`;
}

/** `1 line`, `12 lines`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}
