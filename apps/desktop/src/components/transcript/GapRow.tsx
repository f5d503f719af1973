import type { GapItem } from '@heliograph/transcript';
import { describeProgress, selectControlOf } from '../../store/control-entry.ts';
import { plural } from '../../text/human.ts';
import { useDesktop, useDesktopState } from '../use-desktop.ts';

/** Lines that are not here, in words, with the way to get them. */
export function GapRow(props: { readonly item: GapItem; readonly agent: string; readonly isLive: boolean }) {
  const { item, agent, isLive } = props;
  const desktop = useDesktop();
  const asked = useDesktopState((state) =>
    selectControlOf(
      state.controls,
      ({ draft }) => draft.type === 'replay' && draft.stream === item.stream && draft.fromSeq === item.firstSeq,
    ),
  );
  const lines = plural(item.lastSeq - item.firstSeq + 1, 'line');
  const isBeginning = item.firstSeq === 1 && !item.lost;
  return (
    <div
      className="flex gap-2 rounded-md border border-dashed border-line-strong px-3 py-1.5 text-s text-ink-2"
      data-testid="gap"
      data-first={item.firstSeq}
      data-last={item.lastSeq}
    >
      <span aria-hidden="true">◇</span>
      <p>
        {item.lost
          ? `${lines} were lost on the way${reasonOf(item)}: nobody has them any more.`
          : isBeginning
            ? `You joined in the middle: the first ${lines} are not here.`
            : `${lines} are missing here.`}
        {!item.lost &&
          (asked !== undefined && asked.phase !== 'failed' ? (
            <span className="text-ink-3"> Asked again: {describeProgress(asked)}.</span>
          ) : (
            <>
              {asked !== undefined && <span> {describeProgress(asked)}.</span>}{' '}
              {isLive ? (
                <button
                  type="button"
                  className="link"
                  data-testid="ask-again"
                  onClick={() =>
                    desktop.control(agent, {
                      type: 'replay',
                      stream: item.stream,
                      fromSeq: item.firstSeq,
                      toSeq: item.lastSeq,
                    })
                  }
                >
                  Ask again
                </button>
              ) : (
                <span className="text-ink-3">They can be asked for when the harness answers.</span>
              )}
            </>
          ))}
      </p>
    </div>
  );
}

function reasonOf(item: GapItem): string {
  return item.reasons.length === 0 ? '' : ` (${item.reasons.slice(0, 3).join(', ')})`;
}
