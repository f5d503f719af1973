import { err, ok } from '@heliograph/wire';
import type { RelayLimits } from '../limits.ts';
import type { Policy } from '../policy.ts';

/** Bounds of one event: how many tags, how many characters of content. */
export function sizePolicy({ maxEventTags, maxContentLength }: RelayLimits): Policy {
  return (event) => {
    if (event.tags.length > maxEventTags) {
      return err({ code: 'invalid', message: `an event may have ${maxEventTags} tags, this has ${event.tags.length}` });
    }
    // NIP-11 counts Unicode characters: only a text with more UTF-16 units than the limit needs the exact count.
    if (event.content.length > maxContentLength && countCharacters(event.content) > maxContentLength) {
      return err({ code: 'invalid', message: `content may have ${maxContentLength} characters` });
    }
    return ok(undefined);
  };
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
