import { Needle } from '@heliograph/transcript';
import { type RefObject, useEffect } from 'react';
import { findRanges } from './find-ranges.ts';

/**
 * Marks what is looked for wherever it is drawn inside `root`, without touching what is drawn (CSS Custom Highlight API;
 * a browser without it shows the row alone). The first place in the element with `data-found` is scrolled to, once for
 * each `hit`.
 */
export function useHighlights(
  root: RefObject<HTMLElement | null>,
  options: {
    readonly needle: string;
    readonly exact: boolean;
    readonly name: string;
    readonly hit: string | undefined;
  },
): void {
  const { needle, exact, name, hit } = options;
  useEffect(() => {
    const box = root.current;
    const marks = globalThis.CSS?.highlights;
    if (box === null || needle === '' || marks === undefined) return undefined;
    const wanted = new Needle(needle, exact);
    let frame: number | undefined;
    let isShown = hit === undefined;
    const paint = () => {
      frame = undefined;
      const { all, here } = findRanges(box, wanted);
      marks.set(name, new Highlight(...all));
      marks.set(`${name}-here`, new Highlight(...here));
      const [first] = here;
      if (isShown || first === undefined) return;
      isShown = true;
      first.startContainer.parentElement?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    };
    const later = () => {
      frame ??= requestAnimationFrame(paint);
    };
    const observer = new MutationObserver(later);
    observer.observe(box, { childList: true, subtree: true, characterData: true });
    later();
    return () => {
      observer.disconnect();
      if (frame !== undefined) cancelAnimationFrame(frame);
      marks.delete(name);
      marks.delete(`${name}-here`);
    };
  }, [root, needle, exact, name, hit]);
}
