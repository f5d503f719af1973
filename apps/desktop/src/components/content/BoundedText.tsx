import { useState } from 'react';
import { formatNumber } from '../../text/human.ts';
import { ScrollRegion } from './ScrollRegion.tsx';
import { VisibleText } from './VisibleText.tsx';

/** Plain text, cut to what a screen can bear until more is asked for. Code scrolls in a box, prose grows. */
export function BoundedText(props: {
  readonly text: string;
  readonly max?: number;
  readonly label: string;
  readonly look?: 'code' | 'prose';
}) {
  const { text, max = 8_000, look = 'code' } = props;
  const [isWhole, setWhole] = useState(false);
  const isCut = text.length > max && !isWhole;
  const shown = <VisibleText text={isCut ? text.slice(0, max) : text} multiline max={Number.POSITIVE_INFINITY} />;
  return (
    <>
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
