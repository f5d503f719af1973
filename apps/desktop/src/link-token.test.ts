// @vitest-environment happy-dom
import { afterEach, expect, test } from 'vitest';
import { keepLinkToken, type OpenedWith, onNewLink, takeLink } from './link-token.ts';

const AGENT = 'ab'.repeat(32);

afterEach(() => sessionStorage.clear());

test('PU32: a link that is opened in a tab with the page is told of, and leaves the address at once', () => {
  const opened: OpenedWith[] = [];
  onNewLink((link) => opened.push(link));
  const follow = (fragment: string) => {
    history.replaceState(null, '', `/#${fragment}`);
    dispatchEvent(new Event('hashchange'));
    expect(location.hash).toBe('');
  };
  follow('a-new-token');
  follow(`agent=${AGENT}&reason=ended`);
  dispatchEvent(new Event('hashchange'));
  expect(opened).toEqual([
    { token: 'a-new-token', call: undefined },
    { token: undefined, call: { agent: AGENT, reason: 'ended' } },
  ]);
  keepLinkToken('a-new-token');
  expect(takeLink()).toEqual({ token: 'a-new-token', call: undefined });
  expect(takeLink()).toEqual({ token: undefined, call: undefined });
});
