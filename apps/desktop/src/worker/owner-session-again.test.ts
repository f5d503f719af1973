import { hexEncode, type ObserverEvent } from '@heliograph/wire';
import { beforeEach, expect, test } from 'vitest';
import { AGENT, HOST_SESSION, open, openWorld, resetWorld, SECRET, world } from './testing/owner-world.ts';

beforeEach(resetWorld);

test('DT187: lines that came from the archive and were let go are read there again, those of nobody else', async () => {
  const asked: unknown[] = [];
  const line = (stream: string, seq: number) => ({ stream, seq }) as ObserverEvent;
  const pages = [
    { lines: [line('s', 1), line('s', 2), line('s', 3)] },
    { lines: [line('run', 7), line('s', 2)], after: { stream: 's', seq: 3 } },
    { lines: [line('s', 3), line('s', 4)], after: { stream: 's', seq: 5 } },
  ];
  const session = openWorld({
    session: () => ({ status: 200, json: { secretKeyHex: hexEncode(SECRET), ...HOST_SESSION } }),
    archive(body) {
      asked.push(body);
      const json = pages[asked.length - 1];
      return json === undefined ? { status: 500, json: {} } : { status: 200, json };
    },
  });
  await session.receive(open('token'));
  await session.receive({ type: 'read-archived', id: 7, agent: AGENT.publicKey, session: 3 });
  const span = { stream: 's', first: 2, last: 3 };
  expect(await session.readAgain(AGENT.publicKey, span)).toEqual({ isAnswered: true, gone: [] });
  expect(asked.slice(1)).toEqual([
    { ask: 'lines', session: 3, after: { stream: 's', seq: 2 } },
    { ask: 'lines', session: 3, after: { stream: 's', seq: 3 } },
  ]);
  expect(world.keptLines.slice(-2).map(({ events }) => events)).toEqual([[line('s', 2)], [line('s', 3)]]);
  expect(await session.readAgain(AGENT.publicKey, span)).toEqual({ isAnswered: false });
});
