import { useState } from 'react';
import { formatNumber } from '../../text/human.ts';
import { useFoundIn } from '../find/use-found-in.ts';
import { ScrollRegion } from './ScrollRegion.tsx';
import { VisibleText } from './VisibleText.tsx';

/** Characters shown before what was found. */
const AROUND = 500;

/** Plain text, cut to what a screen can bear until more is asked for. Code scrolls in a box, prose grows. */
export function BoundedText(props: {
  readonly text: string;
  readonly max?: number;
  readonly label: string;
  readonly look?: 'code' | 'prose';
}) {
  const { text, max = 8_000, look = 'code' } = props;
  const [isWhole, setWhole] = useState(false);
  const found = useFoundIn(text);
  const isCut = text.length > max && !isWhole;
  // What was found further on is shown with what is around it.
  const from = isCut && found > max - AROUND ? found - AROUND : 0;
  const shown = (
    <VisibleText text={isCut ? text.slice(from, from + max) : text} multiline max={Number.POSITIVE_INFINITY} />
  );
  return (
    <>
      {from > 0 && (
        <p className="px-3 pt-1 text-s text-ink-3">{formatNumber(from)} characters before this are left out</p>
      )}
      {look === 'prose' ? (
        <p className="whitespace-pre-wrap break-words">{shown}</p>
      ) : (
        <ScrollRegion className="code wrap max-h-96" label={props.label}>
          {shown}
        </ScrollRegion>
      )}
      {isCut && (
        <button
          type="button"
          className={`link text-s ${look === 'code' ? 'px-3 pb-2' : ''}`}
          onClick={() => setWhole(true)}
        >
          Show all {formatNumber(text.length)} characters
        </button>
      )}
    </>
  );
}
