import { describe, expect, test } from 'vitest';
import { MAX_ID_LENGTH, MAX_PENDING, PendingRequests } from './pending-requests.ts';

describe('pending requests', () => {
  test('HA114: however many requests an agent leaves open, 4,096 are remembered, the newest, by ids of 4,096 characters', () => {
    const pending = new PendingRequests<number>();
    for (let request = 0; request < MAX_PENDING + 10; request++) pending.remember(`${request}`, request);
    expect(pending.take('9')).toBeUndefined();
    expect(pending.take('10')).toBe(10);
    expect(pending.first(`${MAX_PENDING + 9}`)).toBe(MAX_PENDING + 9);
    const long = 'i'.repeat(MAX_ID_LENGTH);
    pending.remember(long, -1);
    pending.remember(`${long}i`, -2);
    expect([pending.take(long), pending.take(`${long}i`)]).toEqual([-1, undefined]);
  });

  test('HA114: one id that is used over and over has no more room than many', () => {
    const pending = new PendingRequests<number>();
    for (let request = 0; request < 3 * MAX_PENDING; request++) pending.remember('0', request);
    expect(pending.take('0')).toBe(2 * MAX_PENDING);
    let left = 0;
    while (pending.take('0') !== undefined) left++;
    expect(left).toBe(MAX_PENDING - 1);
  });
});
