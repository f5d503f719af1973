import { expect, test } from 'vitest';
import { callLink, readCallLink } from '../call-link.ts';
import { agentOfScope, isPage, noticeTitle, pageFor, readMessage } from './push-notice.ts';

const PAGE = 'https://relay.example.org/team/agents/';
const AGENT = 'ab'.repeat(32);

test('PU20: an agent has a registration of its own below the page’s folder, and only its own calls are believed', () => {
  expect(agentOfScope(`${PAGE}push/${AGENT}/`, PAGE)).toBe(AGENT);
  for (const scope of [PAGE, `${PAGE}push/`, `${PAGE}push/${AGENT}`, `${PAGE}push/x/`, `https://other/push/${AGENT}/`])
    expect(agentOfScope(scope, PAGE), scope).toBeUndefined();
  expect(readMessage(JSON.stringify({ agent: AGENT, reason: 'permission' }), AGENT)).toEqual({
    agent: AGENT,
    reason: 'permission',
  });
  const others = [
    { agent: 'cd'.repeat(32), reason: 'ended' },
    { agent: AGENT, reason: 'toString' },
    { agent: AGENT },
    null,
  ];
  for (const other of others) expect(readMessage(JSON.stringify(other), AGENT)).toBeUndefined();
  for (const text of [undefined, '', '{', '5']) expect(readMessage(text, AGENT)).toBeUndefined();
});

test('PU21: a notification says who and what in words of ours', () => {
  const call = { agent: AGENT, reason: 'permission' };
  expect(noticeTitle(call, 'build-box')).toBe('build-box asks for permission');
  expect(noticeTitle(call, undefined)).toBe('An agent asks for permission');
  expect(noticeTitle(undefined, 'build-box')).toBe('build-box calls you');
});

test('PU22: what a notification opens is what the page reads, and holds no key', () => {
  for (const reason of ['permission', 'test'] as const) {
    const call = { agent: AGENT, reason };
    expect(pageFor(PAGE, call)).toBe(callLink(PAGE, call));
    expect(readCallLink(new URL(pageFor(PAGE, call)).hash.slice(1))).toEqual(call);
  }
  expect(pageFor(PAGE, undefined)).toBe(PAGE);
  for (const fragment of ['', 'token', 'agent=x&reason=ended', `agent=${AGENT}`, `agent=${AGENT}&reason=evil`])
    expect(readCallLink(fragment), fragment).toBeUndefined();
});

test('PU21: only the page itself is one that its owner may be looking at, not what else is served below it', () => {
  const page = 'https://host/team/';
  for (const url of [page, `${page}#session`, `${page}index.html?x=1`]) expect(isPage(url, page), url).toBe(true);
  for (const url of ['https://host/team/agents/', 'https://host/metrics', 'https://other/team/'])
    expect(isPage(url, page), url).toBe(false);
});
