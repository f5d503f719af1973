import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dequeue, enqueue, MAX_QUEUED_PROMPTS, type PromptQueue } from './prompt-queue.ts';

const prompt = (id: number) => ({ promptRequestId: String(id), triggeringEventId: 'e', content: [] });

describe('the prompt queue', () => {
  test('HA25: prompts start in the order they came, one at a time, each once', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('prompt', 'end'), { maxLength: 200 }), (steps) => {
        let queue: PromptQueue = [];
        let running: string | undefined;
        let id = 0;
        const started: string[] = [];
        const refused: string[] = [];
        const start = (promptRequestId: string) => {
          expect(running).toBeUndefined();
          running = promptRequestId;
          started.push(promptRequestId);
        };
        for (const step of steps) {
          if (step === 'prompt') {
            const next = prompt(++id);
            const taken = enqueue(queue, next, running === undefined);
            if (taken.type === 'start') start(next.promptRequestId);
            else if (taken.type === 'queued') queue = taken.queue;
            else refused.push(next.promptRequestId);
          } else {
            running = undefined;
            const taken = dequeue(queue, true);
            queue = taken.queue;
            if (taken.prompt !== undefined) start(taken.prompt.promptRequestId);
          }
          expect(queue.length).toBeLessThanOrEqual(MAX_QUEUED_PROMPTS);
        }
        const all = [...started, ...queue.map(({ promptRequestId }) => promptRequestId), ...refused].map(Number);
        expect(all.toSorted((a, b) => a - b)).toEqual(Array.from({ length: id }, (_, index) => index + 1));
        expect(started).toEqual(started.toSorted((a, b) => Number(a) - Number(b)));
      }),
    );
  });

  test('HA25: nothing starts while a prompt is in flight', () => {
    expect(enqueue([], prompt(1), false)).toMatchObject({ type: 'queued', position: 1 });
    expect(dequeue([prompt(1)], false).prompt).toBeUndefined();
  });

  test('HA25: an interrupting prompt goes before those that wait', () => {
    expect(enqueue([prompt(1)], prompt(2), false, true)).toMatchObject({ position: 1, queue: [prompt(2), prompt(1)] });
  });
});
