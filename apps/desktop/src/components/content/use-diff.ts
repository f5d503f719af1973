import { type DiffTexts, diffLines, type LineDiff } from '@heliograph/transcript';
import { useEffect, useMemo, useState } from 'react';
import { useDesktop } from '../use-desktop.ts';

/** Texts shorter than this are compared at once: asking the worker takes longer. */
const MAX_HERE_CHARACTERS = 20_000;

/** What changed; undefined until a long change has been compared in the worker. `change` is what the texts belong to. */
export function useDiff(change: object, texts: DiffTexts): LineDiff | undefined {
  const { reader } = useDesktop();
  const [, setTold] = useState<LineDiff>();
  const isShort = texts.oldText.length + texts.newText.length <= MAX_HERE_CHARACTERS;
  const here = useMemo(() => (isShort ? diffLines(texts.oldText, texts.newText) : undefined), [isShort, texts]);
  const known = here ?? reader.diffOf(change);
  const isAsked = known === undefined;
  useEffect(() => {
    if (!isAsked) return undefined;
    const asked = reader.ask({ type: 'diff', ...texts }, (answer) => {
      if (answer.type !== 'diff') return;
      reader.keepDiff(change, answer.diff);
      setTold(answer.diff);
    });
    return asked.stop;
  }, [isAsked, reader, change, texts]);
  return known;
}
