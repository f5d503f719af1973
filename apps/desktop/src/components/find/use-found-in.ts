import { Needle } from '@heliograph/transcript';
import { useMemo } from 'react';
import { useFoundHere } from './found-context.ts';

/** Where what was looked for stands first: in a text its offset, in lines the line; −1 when nowhere or nobody looks. */
export function useFoundIn(text: string | readonly string[]): number {
  const found = useFoundHere();
  return useMemo(() => {
    if (found === undefined) return -1;
    const needle = new Needle(found.needle);
    if (typeof text !== 'string') return text.findIndex((line) => needle.isIn(line));
    const [first] = needle.places(text, 1);
    return first?.start ?? -1;
  }, [found, text]);
}
