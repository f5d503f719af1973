import { memo } from 'react';
import { toTextRuns } from '../../text/visible-text.ts';

/** Text from an agent, as text: what would hide in it or turn it around is shown by its code. Long text is cut at `max`. */
export const VisibleText = memo(function VisibleText(props: {
  readonly text: string;
  readonly multiline?: boolean;
  readonly max?: number;
}) {
  const { text, multiline = false, max = 20_000 } = props;
  const shown = text.length > max ? `${text.slice(0, max)}…` : text;
  const runs = toTextRuns(shown, multiline);
  const [only] = runs;
  if (runs.length === 1 && only?.code === undefined) return <bdi>{only?.text}</bdi>;
  return (
    <bdi>
      {runs.map((run, at) =>
        run.code === undefined ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the runs of one fixed text
          <span key={at}>{run.text}</span>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the runs of one fixed text
          <span key={at} className="unseen" title="A character that is not seen, shown by its code">
            {run.code}
          </span>
        ),
      )}
    </bdi>
  );
});
