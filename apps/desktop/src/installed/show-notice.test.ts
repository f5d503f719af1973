import { expect, test } from 'vitest';
import { onNoticePress, showNotice } from './show-notice.ts';

const notice = { title: 'Fix it asks for permission', tag: 'a/c' };

test('PU30: where a page may not show notifications itself its service worker does, and tells of a press', async () => {
  const shown: unknown[] = [];
  class Phone {
    constructor() {
      throw new TypeError('Illegal constructor. Use ServiceWorkerRegistration.showNotification() instead.');
    }
  }
  const registration = { showNotification: async (...said: unknown[]) => void shown.push(said) };
  const place = { Notification: Phone as unknown as typeof Notification, registration: async () => registration };
  expect(await showNotice(place, notice, () => undefined)).toBe(true);
  expect(shown).toEqual([[notice.title, { tag: notice.tag, data: { notice: notice.tag } }]]);
  expect(await showNotice({ ...place, registration: async () => undefined }, notice, () => undefined)).toBe(false);
  const refused = async () => Promise.reject(new TypeError('denied'));
  const refuses = { ...place, registration: async () => ({ showNotification: refused }) };
  expect(await showNotice(refuses, notice, () => undefined)).toBe(false);

  const messages = new EventTarget();
  const pressed: string[] = [];
  const stop = onNoticePress(messages, (tag) => pressed.push(tag));
  const say = (data: unknown) => messages.dispatchEvent(Object.assign(new Event('message'), { data }));
  for (const data of [{ type: 'notice', tag: 'a/c' }, { type: 'notice', tag: 5 }, { type: 'call' }, null]) say(data);
  stop();
  say({ type: 'notice', tag: 'late' });
  expect(pressed).toEqual(['a/c']);
});

test('PU30: where it may, the page shows it and hears the press itself', async () => {
  const made: { onshow?: () => void; onclick?: () => void }[] = [];
  class Desk {
    closed = false;
    constructor() {
      made.push(this as (typeof made)[number]);
    }
    close() {
      this.closed = true;
    }
  }
  const place = { Notification: Desk as unknown as typeof Notification, registration: async () => undefined };
  let presses = 0;
  const outcome = showNotice(place, notice, () => presses++);
  made[0]?.onshow?.();
  made[0]?.onclick?.();
  expect([await outcome, presses]).toEqual([true, 1]);
});
