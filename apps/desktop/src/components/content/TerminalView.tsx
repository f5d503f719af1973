import { memo, useMemo, useState } from 'react';
import { formatNumber, plural } from '../../text/human.ts';
import { type TerminalLine, toTerminalLines } from '../../text/terminal-text.ts';
import { useFoundIn } from '../find/use-found-in.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
import { ScrollRegion } from './ScrollRegion.tsx';
import { VisibleText } from './VisibleText.tsx';

/** The end of an output is what is read first. */
const TAIL_LINES = 12;
/** Lines drawn at most; the raw lines have all of it. */
const MAX_LINES = 5_000;
/** Output looked at: what stands before it in a longer one is counted, not drawn. */
const MAX_CHARACTERS = 1_000_000;

/** Terminal output: its last lines first, all of it on demand. */
export const TerminalView = memo(function TerminalView(props: { readonly output: string; readonly title?: string }) {
  const { output } = props;
  const lines = useMemo(() => trimEnd(toTerminalLines(output.slice(-MAX_CHARACTERS))), [output]);
  const [isOpen, setOpen] = useState(false);
  const texts = useMemo(() => lines.map((line) => line.map(({ text }) => text).join('')), [lines]);
  const found = useFoundIn(texts);
  const isFolded = !isOpen && (found < 0 || found >= lines.length - TAIL_LINES);
  const tail = Math.max(0, lines.length - (isFolded ? TAIL_LINES : MAX_LINES));
  // What was found before the last lines is shown with what follows it.
  const from = found >= 0 && found < tail ? found : tail;
  const shown = lines.slice(from, from + MAX_LINES);
  const hidden = lines.length - shown.length;
  const count =
    from < tail
      ? `lines ${formatNumber(from + 1)} to ${formatNumber(from + shown.length)} of ${formatNumber(lines.length)}`
      : hidden > 0
        ? `last ${formatNumber(shown.length)} of ${formatNumber(lines.length)} lines`
        : plural(lines.length, 'line');
  return (
    <div className="frame" data-testid="terminal">
      <div className="bar">
        <span>{lines.length === 0 ? 'no output' : count}</span>
        {lines.length > TAIL_LINES && (
          <button type="button" className="tab" aria-expanded={!isFolded} onClick={() => setOpen(isFolded)}>
            {!isFolded ? 'Last lines' : 'All'}
          </button>
        )}
        <CopyButton text={() => output} label="Copy the output" />
      </div>
      {lines.length > 0 && (
        <ScrollRegion className="code max-h-[28rem] text-ink-2" label="Output">
          {shown.map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of one fixed output
            <Line key={at} line={line} isFirst={at === 0} />
          ))}
        </ScrollRegion>
      )}
    </div>
  );
});

function Line({ line, isFirst }: { readonly line: TerminalLine; readonly isFirst: boolean }) {
  return (
    <>
      {!isFirst && '\n'}
      {line.map((span, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: spans of one fixed line
        <span key={at} className={span.look}>
          <VisibleText text={span.text} multiline />
        </span>
      ))}
    </>
  );
}

function trimEnd(lines: readonly TerminalLine[]): readonly TerminalLine[] {
  const end = lines.findLastIndex((line) => line.length > 0);
  return lines.slice(0, end + 1);
}
