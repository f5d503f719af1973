/**
 * The first moment of one day and the last of another, here, as RFC 3339 in UTC; '' is no bound. Days are `YYYY-MM-DD`, as a date
 * field gives them.
 */
export function daysAsTimes(first: string, last: string): { readonly from?: string; readonly to?: string } {
  return {
    ...(first === '' ? {} : { from: new Date(`${first}T00:00:00`).toISOString() }),
    ...(last === '' ? {} : { to: new Date(`${last}T23:59:59.999`).toISOString() }),
  };
}
