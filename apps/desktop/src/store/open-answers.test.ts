import { expect, test } from 'vitest';
import { OpenAnswers } from './open-answers.ts';

test('DT183: what is asked within a question that is stopped, or that nobody heard, is answered all the same', async () => {
  const answers = new OpenAnswers(-1);
  const asked: number[] = [];
  const send = (ask: number) => (asked.push(ask) > 0 ? true : undefined);
  const [first, second] = [answers.ask(send), answers.ask(send)];
  answers.answer(asked[1] ?? 0, 7);
  answers.answer(99, 8);
  expect(await second).toBe(7);
  answers.end();
  answers.answer(asked[0] ?? 0, 9);
  expect(await first).toBe(-1);
  expect(await answers.ask(() => undefined)).toBe(-1);
});
