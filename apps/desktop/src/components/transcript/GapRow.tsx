import type { GapItem } from '@heliograph/transcript';
import { describeProgress, selectControlOf } from '../../store/control-entry.ts';
import { gapState } from '../../store/live.ts';
import { plural } from '../../text/human.ts';
import { useAgent, useDesktop, useDesktopState } from '../use-desktop.ts';

/** Lines that are not here, in words: on their way, gone and why, or to be asked for. */
export function GapRow(props: { readonly item: GapItem; readonly agent: string }) {
  const { item } = props;
  const agent = useAgent(props.agent);
  const state = agent === undefined ? 'unasked' : gapState(agent.presence, agent.repairs, item);
  const isBeginning = item.firstSeq === 1;
  const count = item.lastSeq - item.firstSeq + 1;
  const lines = isBeginning ? plural(count, 'earlier line') : plural(count, 'line');
  const are = count === 1 ? 'is' : 'are';
  return (
    <div
      className="flex gap-2 rounded-md border border-dashed border-line-strong px-3 py-1.5 text-s text-ink-2"
      data-testid="gap"
      data-state={state}
      data-first={item.firstSeq}
      data-last={item.lastSeq}
    >
      <span aria-hidden="true">◇</span>
      <p>
        {isBeginning && state !== 'lost' && 'You joined in the middle: '}
        {state === 'lost' && `${lines} ${are} missing: ${reasonOf(item)}.`}
        {state === 'awaited' && `${lines} ${are} on ${count === 1 ? 'its' : 'their'} way.`}
        {state === 'missing' && (
          <>
            {lines} {are} missing here. <AskAgain item={item} agent={props.agent} />
          </>
        )}
        {state === 'unasked' &&
          `${lines} ${are} not here: ${count === 1 ? 'it' : 'they'} can be asked for when the harness answers.`}
      </p>
    </div>
  );
}

function AskAgain({ item, agent }: { readonly item: GapItem; readonly agent: string }) {
  const desktop = useDesktop();
  const asked = useDesktopState((state) =>
    selectControlOf(
      state.controls,
      ({ draft }) => draft.type === 'replay' && draft.stream === item.stream && draft.fromSeq === item.firstSeq,
    ),
  );
  if (asked !== undefined && asked.phase !== 'failed')
    return <span className="text-ink-3">Asked again: {describeProgress(asked)}.</span>;
  return (
    <>
      {asked !== undefined && `${describeProgress(asked)}. `}
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
    </>
  );
}

function reasonOf({ lost, reasons }: GapItem): string {
  if (!lost) return 'the harness, asked for them, does not have them any more';
  const why = reasons.length === 0 ? '' : ` (${reasons.slice(0, 3).join(', ')})`;
  return `lost on the way${why}, and nobody has them any more`;
}
