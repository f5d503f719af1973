import type { ContentBlock } from '@heliograph/wire';

/** A prompt of the owner's that is not with the agent yet. */
export interface QueuedPrompt {
  readonly promptRequestId: string;
  readonly triggeringEventId: string;
  readonly content: readonly ContentBlock[];
}

/** Prompts of one channel that wait, oldest first. */
export type PromptQueue = readonly QueuedPrompt[];

export const MAX_QUEUED_PROMPTS = 64;

/** `start`: nothing runs, it goes to the agent now. `queued`: behind `position - 1` others. `full`: too many wait. */
export type Enqueued =
  | { readonly type: 'start'; readonly queue: PromptQueue }
  | { readonly type: 'queued'; readonly queue: PromptQueue; readonly position: number }
  | { readonly type: 'full' };

/** Takes a prompt in. `isFree`: the session is there and no prompt of it is in flight. `first`: before all others. Pure. */
export function enqueue(queue: PromptQueue, prompt: QueuedPrompt, isFree: boolean, first = false): Enqueued {
  if (isFree && queue.length === 0) return { type: 'start', queue };
  if (queue.length >= MAX_QUEUED_PROMPTS) return { type: 'full' };
  return first
    ? { type: 'queued', queue: [prompt, ...queue], position: 1 }
    : { type: 'queued', queue: [...queue, prompt], position: queue.length + 1 };
}

/** The next prompt to go to the agent, if one may: never while another of the session is in flight. Pure. */
export function dequeue(
  queue: PromptQueue,
  isFree: boolean,
): { readonly prompt: QueuedPrompt | undefined; readonly queue: PromptQueue } {
  const prompt = queue[0];
  return isFree && prompt !== undefined ? { prompt, queue: queue.slice(1) } : { prompt: undefined, queue };
}

/** Takes a prompt out; undefined when it does not wait (any more). Pure. */
export function remove(queue: PromptQueue, promptRequestId: string): PromptQueue | undefined {
  const rest = queue.filter((prompt) => prompt.promptRequestId !== promptRequestId);
  return rest.length === queue.length ? undefined : rest;
}

/** Gives a prompt other content in its place; undefined when it does not wait (any more). Pure. */
export function replace(
  queue: PromptQueue,
  promptRequestId: string,
  content: readonly ContentBlock[],
): { readonly queue: PromptQueue; readonly position: number } | undefined {
  const at = queue.findIndex((prompt) => prompt.promptRequestId === promptRequestId);
  const prompt = queue[at];
  return prompt === undefined ? undefined : { queue: queue.with(at, { ...prompt, content }), position: at + 1 };
}
