import type { Turn } from '@heliograph/transcript';
import { useEffect, useEffectEvent, useState } from 'react';
import { type ControlEntry, describeProgress, selectCancel } from '../../store/control-entry.ts';
import { formatDuration } from '../../text/human.ts';
import { useNow } from '../parts/use-now.ts';
import { useDesktop, useDesktopState } from '../use-desktop.ts';

/** After this long an agent that was told to stop may be stopped by force. */
const PATIENCE_MS = 8_000;

/** Within this time Escape has to be pressed again: it closes so much else that one press, by habit, stops nothing. */
const AGAIN_MS = 4_000;

/** Stops the turn, in two steps, and tells how far that has come. "Cancelled" is said only by the turn's end. */
export function CancelTurn(props: { readonly agent: string; readonly channelId: string; readonly turn: Turn }) {
  const { agent, channelId, turn } = props;
  const desktop = useDesktop();
  const sent = useDesktopState((state) => selectCancel(state.controls, turn.id));
  const [isAsked, setAsked] = useState(false);
  const isUnderway = sent !== undefined && sent.phase !== 'failed';

  const cancel = (force: boolean) =>
    desktop.control(agent, { type: 'cancel_turn', channelId, turnId: turn.id, ...(force ? { force } : {}) });
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.repeat || event.defaultPrevented || isUnderway || turn.cancelling) return;
    if (document.querySelector('dialog[open], [data-popover-open]') !== null) return;
    setAsked(!isAsked);
    if (isAsked) cancel(false);
  });
  useEffect(() => {
    if (!isAsked) return;
    const timer = setTimeout(() => setAsked(false), AGAIN_MS);
    return () => clearTimeout(timer);
  }, [isAsked]);
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);

  return (
    <>
      {sent !== undefined && <Progress sent={sent} />}
      {isUnderway ? (
        !isForced(sent) && <ForceButton sinceMs={sent.startedAtMs} onForce={() => cancel(true)} />
      ) : (
        <button
          type="button"
          className={`btn ${turn.cancelling ? 'bad' : ''}`}
          data-testid={turn.cancelling ? 'cancel-force' : 'cancel'}
          onClick={() => cancel(turn.cancelling)}
        >
          {turn.cancelling ? (
            'Stop by force'
          ) : isAsked ? (
            <span role="status">Esc again to cancel</span>
          ) : (
            <>
              Cancel turn <kbd>esc</kbd>
            </>
          )}
        </button>
      )}
    </>
  );
}

function isForced(entry: ControlEntry): boolean {
  return entry.draft.type === 'cancel_turn' && entry.draft.force === true;
}

function Progress({ sent }: { readonly sent: ControlEntry }) {
  const now = useNow();
  const waitedMs = now - sent.startedAtMs;
  const isFailure = sent.phase === 'failed';
  return (
    <span
      className={isFailure ? 'text-bad' : 'text-ink-2'}
      role="status"
      data-testid="cancel-progress"
      data-phase={sent.phase}
      data-status={sent.status}
    >
      {isForced(sent) ? 'Stop by force' : 'Cancel'}: {describeProgress(sent)}
      {!isFailure && waitedMs > 2_000 && `; still running after ${formatDuration(waitedMs)}`}
    </span>
  );
}

function ForceButton(props: { readonly sinceMs: number; readonly onForce: () => void }) {
  const now = useNow();
  if (now - props.sinceMs < PATIENCE_MS) return null;
  return (
    <button type="button" className="btn bad" data-testid="cancel-force" onClick={props.onForce}>
      Stop by force
    </button>
  );
}
