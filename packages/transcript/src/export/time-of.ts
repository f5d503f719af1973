const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9})\d*)?(?:Z|([+-])(\d\d):(\d\d))$/i;

/** An RFC 3339 time as nanoseconds since 1970; `undefined` for any other text. */
export function nanosOf(time: string): bigint | undefined {
  const match = RFC3339.exec(time);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [, , , , , , , fraction = '', sign = '+', hours = '0', minutes = '0'] = match;
  // Years are counted from March, so that the leap day is the last.
  const years = month > 2 ? year : year - 1;
  const leaps = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  const days = years * 365 + leaps + Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1 - 719_468;
  const offset = (sign === '-' ? -60 : 60) * (Number(hours) * 60 + Number(minutes));
  const seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset;
  return BigInt(seconds) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'));
}

/** Milliseconds between two times, whole; 0 where either is none. */
export function msBetween(from: string, to: string): number {
  const [start, end] = [nanosOf(from), nanosOf(to)];
  return start === undefined || end === undefined ? 0 : Number((end - start) / 1_000_000n);
}
