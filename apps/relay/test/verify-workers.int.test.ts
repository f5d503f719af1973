import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  connectAs,
  otherOwner,
  owner,
  startTestRelay,
  template,
  temporaryFolder,
  useVerifyWorkers,
} from './relay-under-test.ts';

await useVerifyWorkers();
// All of these once more, now with workers: the behaviour is the same.
await import('./frames.int.test.ts');
await import('./hostile.int.test.ts');
await import('./isolation.int.test.ts');

it('RL123: signatures are checked in workers: good and bad ones, in order, for several connections at once', async () => {
  const relay = await startTestRelay({ limits: { eventBurst: 1e6 } });
  const clients = [await connectAs(owner, relay), await connectAs(otherOwner, relay)];
  const reader = await connectAs(owner, relay);
  await reader.ask('live', { kinds: [20_001], limit: 0 });
  const events = clients.map((_, at) => {
    const key = at === 0 ? owner : otherOwner;
    return Array.from({ length: 200 }, (_, n) => key.sign(template({ kind: 20_001, content: `${at} ${n}` })));
  });
  for (let n = 0; n < 200; n++) {
    for (const [at, client] of clients.entries()) {
      const event = events[at]?.[n] as (typeof events)[0][0];
      client.say(
        'EVENT',
        n % 10 === 3 ? { ...event, sig: event.sig.replace(/^./, (c) => (c === '0' ? '1' : '0')) } : event,
      );
    }
  }
  for (const [at, client] of clients.entries()) {
    await client.until('OK', events[at]?.at(-1)?.id);
    const answers = client.heard.flatMap((message) => (message[0] === 'OK' ? [message] : [])).slice(1);
    expect(answers.map(([, id]) => id)).toEqual(events[at]?.map(({ id }) => id));
    expect(answers.map(([, , ok]) => ok)).toEqual(answers.map((_, n) => n % 10 !== 3));
  }
  const delivered = (): string[] =>
    reader.heard.flatMap((message) => (message[0] === 'EVENT' ? [message[2].content] : []));
  await expect.poll(() => delivered().length).toBe(360);
  for (const at of [0, 1]) {
    const own = delivered().filter((content) => content.startsWith(`${at} `));
    expect(own).toEqual(events[at]?.map(({ content }) => content).filter((_, n) => n % 10 !== 3));
  }
});

it.each([
  [
    'that ends at its first job',
    "import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => process.exit(3));",
  ],
  [
    'that throws at its first job',
    "import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => { throw new Error('x'); });",
  ],
  ['that can not start', 'throw new Error("x");'],
])('RL124: a worker %s loses nothing: its checks are made by the relay itself', async (_, source) => {
  const file = join(temporaryFolder(), 'worker.mjs');
  writeFileSync(file, source);
  const relay = await startTestRelay({ verifyWorkers: { count: 2, file } });
  const client = await connectAs(owner, relay);
  const events = Array.from({ length: 50 }, (_, n) => owner.sign(template({ content: `${n}` })));
  for (const event of events) client.say('EVENT', event);
  await Promise.all(events.map(({ id }) => client.until('OK', id)));
  expect(client.heard.filter((message) => message[0] === 'OK' && message[2]).length).toBe(51);
  expect((await client.publish(owner, { ...template(), content: 'later' })).ok).toBe(true);
  await expect.poll(() => relay.log.some(({ message }) => /a verify worker ended/.test(message))).toBe(true);
});

it('RL124: a relay whose workers are busy stops without waiting for them', async () => {
  const file = join(temporaryFolder(), 'worker.mjs');
  writeFileSync(
    file,
    "import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => { for (;;); }).postMessage('loaded');",
  );
  const relay = await startTestRelay({ verifyWorkers: { count: 1, file } });
  const client = await connectAs(owner, relay);
  client.say('EVENT', owner.sign(template()));
  client.say('REQ', 'a', { limit: 0 });
  await relay.close();
  expect(await client.closed).toMatchObject({ code: 1012 });
});

it('RL124: a relay that stops lets its workers load first: a thread stopped inside the native loader ends the process', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'worker.mjs');
  writeFileSync(
    file,
    `import { parentPort } from 'node:worker_threads'; import { writeFileSync } from 'node:fs';
    setTimeout(() => { writeFileSync(${JSON.stringify(join(folder, 'loaded'))}, ''); parentPort.postMessage('loaded'); }, 300);
    parentPort.on('message', () => {});`,
  );
  const relay = await startTestRelay({ verifyWorkers: { count: 1, file } });
  await relay.close();
  expect(existsSync(join(folder, 'loaded'))).toBe(true);
});
