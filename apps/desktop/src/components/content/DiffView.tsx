import { type LineDiff, splitDiff, type ToolContent, unfoldDiff, unifiedDiff } from '@heliograph/transcript';
import { FileDiff } from 'lucide-react';
import { memo, useMemo, useState } from 'react';
import { formatNumber } from '../../text/human.ts';
import { relativeTo } from '../../text/tool-sentence.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
import { ChangeCount } from './ChangeCount.tsx';
import { DiffRows } from './DiffRows.tsx';
import { type DiffLook, keepDiffLook, readDiffLook } from './diff-look.ts';
import { useDiff } from './use-diff.ts';
import { VisibleText } from './VisibleText.tsx';

/** A change of one file: what it is, how much, and its rows, unified or side by side. */
export const DiffView = memo(function DiffView(props: {
  readonly change: Extract<ToolContent, { readonly type: 'diff' }>;
  readonly cwd: string | undefined;
}) {
  const { change } = props;
  const { oldText, newText } = change;
  const texts = useMemo(() => ({ oldText: oldText ?? '', newText }), [oldText, newText]);
  const compared = useDiff(change, texts);
  const [look, setLook] = useState(readDiffLook);
  const choose = (next: DiffLook) => {
    keepDiffLook(next);
    setLook(next);
  };
  return (
    <div className="frame" data-testid="diff">
      <div className="bar">
        <span className="font-mono">
          <VisibleText text={relativeTo(props.cwd, change.path)} />
          {oldText === null && <span className="font-sans"> · new file</span>}
        </span>
        {compared !== undefined && <ChangeCount {...compared} />}
        {oldText !== null && (
          <span className="flex max-md:hidden">
            {(['unified', 'split'] as const).map((one) => (
              <button
                key={one}
                type="button"
                className="tab"
                aria-pressed={look === one}
                data-testid={`diff-${one}`}
                onClick={() => choose(one)}
              >
                {one === 'unified' ? 'Unified' : 'Split'}
              </button>
            ))}
          </span>
        )}
        {compared !== undefined && (
          <CopyButton
            text={() => unifiedDiff(compared, texts, change.path)}
            label="Copy the change as a patch"
            testId="copy-patch"
            icon={FileDiff}
          />
        )}
        <CopyButton text={() => newText} label="Copy the new text" />
      </div>
      {compared === undefined ? (
        <p className="px-3 py-2 text-s text-ink-2" data-testid="diff-waiting">
          Comparing {formatNumber(texts.oldText.length + newText.length)} characters
        </p>
      ) : (
        <Unfolding key={look} compared={compared} texts={texts} look={oldText === null ? 'unified' : look} />
      )}
      {compared?.exact === false && (
        <p className="border-t border-line px-3 py-1.5 text-s text-ink-3">
          A part of the two texts has too little in common to match: it is shown as replaced.
        </p>
      )}
    </div>
  );
});

/** The rows, with what the reader has unfolded. */
function Unfolding(props: {
  readonly compared: LineDiff;
  readonly texts: { readonly oldText: string; readonly newText: string };
  readonly look: DiffLook;
}) {
  const { compared, texts, look } = props;
  // What was unfolded belongs to the change it was unfolded in: an agent may put another in its place.
  const [unfolded, setUnfolded] = useState({ of: compared, diff: compared });
  const diff = unfolded.of === compared ? unfolded.diff : compared;
  const sides = useMemo(() => (look === 'split' ? splitDiff(diff) : undefined), [diff, look]);
  return (
    <DiffRows
      diff={diff}
      texts={texts}
      sides={sides}
      onUnfold={(at) => setUnfolded({ of: compared, diff: unfoldDiff(diff, at) })}
    />
  );
}
