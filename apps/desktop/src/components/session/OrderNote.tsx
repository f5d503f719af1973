import type { ControlDraft } from '@heliograph/client';
import { describeProgress } from '../../store/control-entry.ts';
import { useDesktopState } from '../use-desktop.ts';

/** How the newest order of a kind is going, to an agent or to one of its channels; nothing while there was none. */
export function OrderNote(props: {
  readonly agent: string;
  readonly type: ControlDraft['type'];
  readonly channelId?: string;
  /** What it means that it was done. */
  readonly done: string;
}) {
  const { agent, type, channelId } = props;
  const order = useDesktopState((state) =>
    state.controls.findLast(
      ({ agent: of, draft }) =>
        of === agent &&
        draft.type === type &&
        (channelId === undefined || ('channelId' in draft && draft.channelId === channelId)),
    ),
  );
  if (order === undefined) return null;
  const words =
    order.phase === 'done' ? [props.done, order.reason].filter(Boolean).join(': ') : describeProgress(order);
  return (
    <p
      className={`px-2.5 text-s wrap-anywhere ${order.phase === 'failed' ? 'text-bad' : 'text-ink-3'}`}
      role="status"
      data-testid={`order-${type}`}
      data-phase={order.phase}
    >
      {words}
    </p>
  );
}
