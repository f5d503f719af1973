import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEFAULT_BUDGET_BYTES, MAX_EMIT_BYTES } from '@heliograph/wire';
import { afterEach, describe, expect, test } from 'vitest';
import { agreeOnBudget } from '../src/relay-limits.ts';

const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

/** A relay's URL whose NIP-11 document is this text. */
async function relay(document: string): Promise<string> {
  const server = createServer((request, response) => {
    response.end(request.headers.accept === 'application/nostr+json' ? document : 'a page');
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const limited = (limitation: object) => relay(JSON.stringify({ limitation }));

describe('the frame budget', () => {
  test('HA43: what fits every relay, by what each tells of itself; one that is silent counts as small', async () => {
    const logs: string[] = [];
    const log = {
      debug() {},
      info() {},
      warn: (_: object, text: string) => logs.push(text),
      error: (_: object, text: string) => logs.push(text),
    };
    const large = await limited({ max_message_length: 262_144, max_content_length: 196_608 });
    expect(await agreeOnBudget([large], log)).toEqual({ relays: [large], budgetBytes: MAX_EMIT_BYTES });
    expect(logs).toEqual([]);
    const silent = 'ws://127.0.0.1:1';
    expect((await agreeOnBudget([large, silent], log)).budgetBytes).toBe(DEFAULT_BUDGET_BYTES);
    const page = await relay('<html>');
    expect((await agreeOnBudget([page], log)).budgetBytes).toBe(DEFAULT_BUDGET_BYTES);
    expect(logs).toHaveLength(2);
  });

  test('HA43: a relay that takes too little is left out and said so; with none left the harness does not start', async () => {
    const logs: string[] = [];
    const log = { debug() {}, info() {}, warn() {}, error: (_: object, text: string) => logs.push(text) };
    const large = await limited({ max_message_length: 262_144, max_content_length: 196_608 });
    const small = await limited({ max_message_length: 4_096 });
    expect(await agreeOnBudget([small, large], log)).toEqual({ relays: [large], budgetBytes: MAX_EMIT_BYTES });
    expect(logs).toEqual([expect.stringContaining('this relay is left out')]);
    await expect(agreeOnBudget([small], log)).rejects.toMatchObject({
      code: 'ERELAYSIZE',
      message: expect.stringContaining(small),
    });
  });
});
