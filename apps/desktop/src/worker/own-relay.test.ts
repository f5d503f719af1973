import { expect, test } from 'vitest';
import { findOwnRelay } from './own-relay.ts';

const answering = (body: string, type: string, status = 200) =>
  (async () => new Response(body, { status, headers: { 'content-type': type } })) as typeof fetch;
const DOCUMENT = 'application/nostr+json';

test('DT60: the relay that serves the page is known by its document, and its address by the page’s own', async () => {
  const found = await findOwnRelay('https://h/agents/', answering('{"name":"Ours"}', DOCUMENT));
  expect(found).toEqual({ url: 'wss://h/agents', name: 'Ours' });
  expect(await findOwnRelay('http://10.0.0.2:7447/', answering('{"name":7}', DOCUMENT))).toEqual({
    url: 'ws://10.0.0.2:7447',
    name: 'A relay',
  });
});

test('DT60: what answers with something else, or not at all, is no relay', async () => {
  const failing = (async () => {
    throw new TypeError('fetch failed');
  }) as typeof fetch;
  const others = [answering('<!doctype html>', 'text/html'), answering('{', DOCUMENT), failing];
  for (const fetcher of [...others, answering('{"name":"x"}', DOCUMENT, 503)]) {
    expect(await findOwnRelay('http://h/', fetcher)).toBeUndefined();
  }
  expect(await findOwnRelay('file:///page/', answering('{}', DOCUMENT))).toBeUndefined();
});
