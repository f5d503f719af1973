import { classifyLine, type Direction } from '@heliograph/wire';
import { describe, expect, test } from 'vitest';
import { MAX_OPENED_CHANNELS, Router } from './router.ts';

function open() {
  const opened: string[] = [];
  const router = new Router((sessionId) => {
    opened.push(sessionId);
    return `channel of ${sessionId}`;
  });
  const route = (direction: Direction, text: string) => {
    const message = classifyLine(text);
    if (!message.ok) throw new Error(text);
    return router.route(direction, message.value, text).channelId;
  };
  return { router, opened, route };
}

const line = (message: object) => JSON.stringify({ jsonrpc: '2.0', ...message });
const update = (sessionId: string) => line({ method: 'session/update', params: { sessionId } });

describe('routing', () => {
  test('HA100: a session id over 256 characters belongs to no channel', () => {
    const { opened, route } = open();
    expect(route('read', update('s'.repeat(257)))).toBeNull();
    expect(route('read', update('s'.repeat(256)))).not.toBeNull();
    expect(opened).toHaveLength(1);
  });

  test('HA4: lines go by their sessionId, everything else to the harness stream', () => {
    const { router, route } = open();
    router.expect('c1');
    expect(route('write', line({ id: 1, method: 'initialize', params: {} }))).toBeNull();
    expect(route('read', line({ id: 1, result: {} }))).toBeNull();
    expect(route('write', line({ id: 2, method: 'session/new', params: { cwd: '/' } }))).toBeNull();
    expect(route('read', line({ id: 2, result: { sessionId: 'S' } }))).toBeNull();
    router.resolve('c1', 'S');
    expect(route('read', update('S'))).toBe('c1');
    expect(route('read', line({ method: '_auth/status_update', params: null }))).toBeNull();
  });

  test('HA4: answers follow their request, by direction and by the id as it was written', () => {
    const { router, route } = open();
    router.resolve('c1', 'S');
    route('write', line({ id: 0, method: 'session/prompt', params: { sessionId: 'S' } }));
    route('read', '{"id":0,"method":"session/request_permission","params":{"sessionId":"T"}}');
    route('read', '{"id":1.0,"method":"x","params":{"sessionId":"S"}}');
    expect(route('read', '{"id":"0","result":{}}')).toBeNull();
    expect(route('read', '{"id":0,"result":{}}')).toBe('c1');
    expect(route('read', '{"id":0,"result":{}}')).toBeNull();
    expect(route('write', '{"id":0,"result":{}}')).toBe('channel of T');
    expect(route('write', '{"id":1,"result":{}}')).toBeNull();
    expect(route('write', '{"id":1.0,"error":{}}')).toBe('c1');
  });

  test('HA4: an id that is used again while it is open is answered in the order of its requests', () => {
    const { router, route } = open();
    router.resolve('c1', 'S');
    route('read', '{"id":0,"method":"x","params":{"sessionId":"S"}}');
    route('read', '{"id":0,"method":"x","params":{}}');
    expect(route('write', '{"id":0,"result":{}}')).toBe('c1');
    expect(route('write', '{"id":0,"result":{}}')).toBeNull();
  });

  test('HA4: $/cancel_request and an elicitation about a request follow that request', () => {
    const { router, route } = open();
    router.resolve('c1', 'S');
    route('read', '{"id":9007199254740993,"method":"x","params":{"sessionId":"S"}}');
    route('write', '{"id":5,"method":"session/prompt","params":{"sessionId":"S"}}');
    expect(route('read', '{"method":"$/cancel_request","params":{"requestId":9007199254740993}}')).toBe('c1');
    expect(route('read', '{"method":"$/cancel_request","params":{"requestId":9007199254740992}}')).toBeNull();
    expect(route('write', '{"method":"$/cancel_request","params":{"requestId":5}}')).toBe('c1');
    expect(route('read', '{"id":7,"method":"elicitation/create","params":{"requestId":5}}')).toBe('c1');
  });

  test('HA5: what comes before the answer to session/new belongs to the channel that asked', () => {
    const { router, route, opened } = open();
    router.expect('c1');
    expect(route('read', update('S'))).toBe('c1');
    router.resolve('c1', 'S');
    expect(route('read', update('S'))).toBe('c1');
    expect(opened).toEqual([]);
  });

  test('HA5: with two requests for a session open, an unknown session opens a channel of its own', () => {
    const { router, route, opened } = open();
    router.expect('c1');
    router.expect('c2');
    expect(route('read', update('S'))).toBe('channel of S');
    expect(opened).toEqual(['S']);
  });

  test('HA5: should the answer name another session, the channel follows the answer', () => {
    const { router, route } = open();
    router.expect('c1');
    route('read', update('early'));
    router.resolve('c1', 'S');
    expect(route('read', update('S'))).toBe('c1');
    expect(route('read', update('early'))).toBe('channel of early');
  });

  test(`HA4: an agent opens ${MAX_OPENED_CHANNELS} channels by itself, further sessions go to the harness stream`, () => {
    const { route, opened } = open();
    for (let i = 0; i < MAX_OPENED_CHANNELS + 10; i++) route('read', update(`S${i}`));
    expect(opened).toHaveLength(MAX_OPENED_CHANNELS);
    expect(route('read', update('one more'))).toBeNull();
    expect(route('read', update('S0'))).toBe('channel of S0');
  });
});
