import { type EventTemplate, err, ok } from '@heliograph/wire';
import type { Policy } from '../policy.ts';

const KIND_REPOST = 6;
const KIND_GENERIC_REPOST = 16;

/** A protected event (NIP-70, tag `-`) comes only from its author, authenticated; and no repost carries one along. */
export const protectedPolicy: Policy = (event, { admission }) => {
  if (isProtected(event) && admission?.pubkey !== event.pubkey) {
    const message = 'this event may only be published by its author (NIP-70)';
    return err({ code: admission === undefined ? 'auth-required' : 'restricted', message });
  }
  if ((event.kind === KIND_REPOST || event.kind === KIND_GENERIC_REPOST) && holdsProtected(event.content)) {
    return err({ code: 'blocked', message: 'a repost may not carry a protected event (NIP-70)' });
  }
  return ok(undefined);
};

function isProtected(event: Pick<EventTemplate, 'tags'>): boolean {
  return event.tags.some(([name]) => name === '-');
}

function holdsProtected(content: string): boolean {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return false;
  }
  const tags = typeof value === 'object' && value !== null && 'tags' in value ? value.tags : undefined;
  return Array.isArray(tags) && tags.some((tag) => Array.isArray(tag) && tag[0] === '-');
}
