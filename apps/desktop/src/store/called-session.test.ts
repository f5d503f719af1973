import { expect, test } from 'vitest';
import { Calls } from '../installed/calls.ts';
import { calledSession } from './called-session.ts';
import type { FleetEntry } from './fleet.ts';

const AGENT = 'ab'.repeat(32);
const entry = (channelId: string, over: Partial<FleetEntry> = {}): FleetEntry => ({
  ref: { agent: AGENT, channelId },
  status: 'quiet',
  asks: undefined,
  title: '',
  who: '',
  words: '',
  joins: false,
  code: undefined,
  at: 0,
  heardMs: undefined,
  since: 0,
  ...over,
});
const groups = [
  { name: 'a', entries: [entry('other', { ref: { agent: 'cd'.repeat(32), channelId: 'x' }, asks: 'permission' })] },
  { name: 'b', entries: [entry('asks', { status: 'needs', asks: 'permission', at: 1 })] },
  { name: 'c', entries: [entry('failed', { status: 'failed', at: 2 }), entry('newest', { at: 9 })] },
];
const found = (reason: 'permission' | 'question' | 'failed' | 'ended' | 'test') =>
  calledSession(groups, { agent: AGENT, reason })?.ref.channelId;

test('PU22: a call leads to the session of its agent that it is about, else to the newest', () => {
  expect([found('permission'), found('failed'), found('ended'), found('question'), found('test')]).toEqual([
    'asks',
    'failed',
    'newest',
    'newest',
    'newest',
  ]);
  expect(calledSession([], { agent: AGENT, reason: 'ended' })).toBeUndefined();
});

test('PU22: a call comes with the address or from a service worker, and holds until the owner is there', () => {
  const messages = new EventTarget();
  const calls = new Calls({ agent: AGENT, reason: 'ended' }, messages);
  const told: unknown[] = [];
  calls.subscribe(() => told.push(calls.newest));
  expect(calls.newest).toEqual({ agent: AGENT, reason: 'ended' });
  calls.answered();
  messages.dispatchEvent(
    new MessageEvent('message', { data: { type: 'call', call: { agent: AGENT, reason: 'test' } } }),
  );
  messages.dispatchEvent(new MessageEvent('message', { data: { type: 'call', call: { agent: 'x', reason: 'test' } } }));
  messages.dispatchEvent(new MessageEvent('message', { data: null }));
  expect(told).toEqual([undefined, { agent: AGENT, reason: 'test' }, undefined]);
});
