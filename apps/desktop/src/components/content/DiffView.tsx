import { memo, useMemo, useState } from 'react';
import { formatNumber } from '../../text/human.ts';
import { type DiffRow, diffLines } from '../../text/line-diff.ts';
import { relativeTo } from '../../text/tool-sentence.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
import { ScrollRegion } from './ScrollRegion.tsx';
import { VisibleText } from './VisibleText.tsx';

/** Rows shown before more is asked for. */
const FIRST_ROWS = 200;
/** Texts over this are not compared on the screen's own thread. */
const MAX_COMPARED_CHARACTERS = 2_000_000;
const SIGNS: Readonly<Record<DiffRow['type'], string>> = { same: '', added: '+', removed: '−', skipped: '' };

/** A change of one file, as rows: line number, sign, text. */
export const DiffView = memo(function DiffView(props: {
  readonly path: string;
  readonly oldText: string | null;
  readonly newText: string;
  readonly cwd: string | undefined;
}) {
  const { oldText, newText } = props;
  const isHuge = (oldText?.length ?? 0) + newText.length > MAX_COMPARED_CHARACTERS;
  const diff = useMemo(() => (isHuge ? undefined : diffLines(oldText ?? '', newText)), [isHuge, oldText, newText]);
  const [limit, setLimit] = useState(FIRST_ROWS);
  return (
    <div className="frame" data-testid="diff">
      <div className="bar">
        <span className="font-mono">
          <VisibleText text={relativeTo(props.cwd, props.path)} />
          {oldText === null && <span className="font-sans"> · new file</span>}
        </span>
        {diff !== undefined && <ChangeCount added={diff.added} removed={diff.removed} />}
        <CopyButton text={() => newText} label="Copy the new text" />
      </div>
      {diff === undefined ? (
        <p className="px-3 py-2 text-s text-ink-2">
          Too large to compare here ({formatNumber((oldText?.length ?? 0) + newText.length)} characters). The raw lines
          hold both texts.
        </p>
      ) : (
        <ScrollRegion className="code diff max-h-[32rem]" label="Change">
          <div className="diff-rows">
            {diff.rows.slice(0, limit).map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows of one fixed change
              <Line key={at} row={row} />
            ))}
          </div>
          {diff.rows.length > limit && (
            <button type="button" className="link px-3 py-2 text-s font-sans" onClick={() => setLimit(limit * 10)}>
              Show more of {formatNumber(diff.rows.length)} rows
            </button>
          )}
        </ScrollRegion>
      )}
      {diff?.exact === false && (
        <p className="border-t border-line px-3 py-1.5 text-s text-ink-3">
          The two texts have little in common: all of it is shown as replaced.
        </p>
      )}
    </div>
  );
});

function Line({ row }: { readonly row: DiffRow }) {
  if (row.type === 'skipped') {
    return (
      <div className="diff-row skipped">
        <i>⋯</i>
        <u />
        <span>{row.text} unchanged</span>
      </div>
    );
  }
  return (
    <div className={`diff-row ${row.type}`}>
      <i>{row.newLine ?? row.oldLine}</i>
      <u>{SIGNS[row.type]}</u>
      <span>
        <VisibleText text={row.text} multiline />
      </span>
    </div>
  );
}

/** `+4 −2`: colours say it again, the signs say it first. */
export function ChangeCount({ added, removed }: { readonly added: number; readonly removed: number }) {
  return (
    <span className="font-medium whitespace-nowrap tabular-nums">
      {(added > 0 || removed === 0) && <span className="text-add">+{formatNumber(added)}</span>}
      {removed > 0 && <span className="text-bad"> −{formatNumber(removed)}</span>}
    </span>
  );
}
