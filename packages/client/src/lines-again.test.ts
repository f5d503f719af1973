import { nobleCrypto } from '@heliograph/crypto/noble';
import { expect, it } from 'vitest';
import { viewerStage } from './testing/viewer-stage.ts';
import type { LinesAgain } from './viewer-event.ts';

it('DT186: lines that were told are told once more when they are asked for, and no other time; what is gone is named', async () => {
  const { agent, clock, shown, viewer } = viewerStage(nobleCrypto);
  const first = await agent.seal('s', 'c', ['stream_opened', { channelId: 'c' }], ['acp_read', { n: 2 }]);
  const second = await agent.seal('s', 'c', ['acp_read', { n: 3 }]);
  const answers: LinesAgain[] = [];
  const ask = () =>
    void viewer.readAgain(agent.publicKey, { stream: 's', first: 2, last: 3 }).then((answer) => answers.push(answer));
  ask();
  await clock.settle();
  // A harness that has not answered yet is not asked.
  expect(answers).toEqual([{ isAnswered: false }]);
  let status = 'applied';
  const asked: unknown[] = [];
  agent.listen((control) => {
    if (control.type !== 'replay') return void agent.answerHello(control);
    asked.push(control);
    const { requestId } = control;
    const missing = status === 'partial' ? { missing: [[3, 3], 'x', [9, 1]] } : {};
    const result = { type: 'replay', requestId, status, ...missing };
    void agent.deliver(first, second).then(() => agent.say('r', null, ['control_result', result]));
  });
  await clock.advance(5_000);
  await agent.deliver(first, second, first, second);
  await clock.settle();
  const before = shown().filter((line) => line.includes(':s:'));
  expect(before).toHaveLength(3);
  asked.length = 0;
  const again = async () => {
    ask();
    await clock.settle();
    return answers.at(-1);
  };
  expect(await again()).toEqual({ isAnswered: true, gone: [] });
  expect(asked).toMatchObject([{ stream: 's', fromSeq: 2, toSeq: 3 }]);
  expect(shown().filter((line) => line.includes(':s:'))).toEqual([...before, ...before]);
  await agent.deliver(first, second);
  await clock.settle();
  expect(shown().filter((line) => line.includes(':s:'))).toHaveLength(6);
  status = 'partial';
  expect(await again()).toEqual({ isAnswered: true, gone: [{ first: 3, last: 3 }] });
  status = 'unknown';
  expect(await again()).toMatchObject({ isAnswered: true, gone: [{ first: 2, last: 3 }] });
  status = 'failure';
  expect(await again()).toEqual({ isAnswered: false });
  agent.listen(() => {});
  ask();
  viewer.close();
  await clock.settle();
  expect(answers.at(-1)).toEqual({ isAnswered: false });
});
