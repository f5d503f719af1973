import { ArrowUpRight, X } from 'lucide-react';
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { findItem, type InboxEntry } from '../../store/inbox.ts';
import { formatAge } from '../../text/human.ts';
import { VisibleText } from '../content/VisibleText.tsx';
import { useNow } from '../parts/use-now.ts';
import { ElicitationCard } from '../transcript/ElicitationCard.tsx';
import { ErrorRow } from '../transcript/ErrorRow.tsx';
import { ShowLinesContext } from '../transcript/lines-context.ts';
import { PermissionCard } from '../transcript/PermissionCard.tsx';
import { RowGuard } from '../transcript/RowGuard.tsx';
import { SeenPermissionsContext } from '../transcript/seen-permissions.ts';
import { useTranscript } from '../use-desktop.ts';
import type { ChosenCard } from './chosen-card.ts';

/** For how long an answered card keeps its height. */
const KEPT_MS = 3_000;
/** For how long after that no press is taken in the list. */
const GUARD_MS = 400;

/** One thing that waits, with where it comes from; answered or gone it keeps its place, so that nothing slips under a finger. */
export function InboxCard(props: {
  readonly entry: InboxEntry;
  readonly isWaiting: boolean;
  readonly chosen: ChosenCard;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly onOpen: (itemId: string) => void;
  readonly onPutAside: () => void;
}) {
  const { entry, isWaiting, chosen } = props;
  const card = useRef<HTMLLIElement>(null);
  const item = useTranscript(entry.ref, (transcript) => findItem(transcript, entry.item)) ?? entry.item;
  const seen = useMemo(
    () => chosen.only(entry.key, entry.item.id, () => card.current),
    [chosen, entry.key, entry.item.id],
  );
  const height = useKeptHeight(card, isWaiting);
  const open = () => props.onOpen(item.id);
  return (
    <li
      ref={card}
      tabIndex={-1}
      className="inbox-card"
      style={height === undefined ? undefined : { minHeight: height }}
      aria-current={props.isChosen ? 'true' : undefined}
      data-testid="inbox-card"
      data-kind={entry.kind}
      data-key={entry.key}
      data-waiting={isWaiting}
      onFocus={props.onChoose}
      onPointerDown={props.onChoose}
    >
      <header className="flex items-baseline gap-x-2 pb-1.5 text-s text-ink-2">
        <button
          type="button"
          className="link min-w-0 truncate text-left text-m text-ink"
          disabled={entry.place === undefined}
          data-testid="inbox-open"
          onClick={open}
        >
          <VisibleText text={entry.title} max={160} />
          <span className="sr-only">: open it in its session</span>
        </button>
        <span className="min-w-0 flex-1 truncate">
          <VisibleText text={entry.who} max={64} />
          {entry.host !== undefined && !entry.who.includes(entry.host) && (
            <>
              {' on '}
              <VisibleText text={entry.host} max={64} />
            </>
          )}
        </span>
        {entry.kind === 'trouble' && <Age at={entry.at} />}
      </header>
      <ShowLinesContext value={open}>
        <SeenPermissionsContext value={seen}>
          <RowGuard>
            {item.kind === 'permission' && (
              <PermissionCard item={item} agent={entry.ref.agent} channelId={entry.ref.channelId} cwd={entry.cwd} />
            )}
            {item.kind === 'elicitation' && (
              <ElicitationCard item={item} agent={entry.ref.agent} channelId={entry.ref.channelId} />
            )}
            {item.kind === 'error' && <ErrorRow item={item} />}
          </RowGuard>
        </SeenPermissionsContext>
      </ShowLinesContext>
      {entry.kind === 'trouble' &&
        (isWaiting ? (
          <div className="flex flex-wrap gap-2 pt-2 max-md:grid">
            <button type="button" className="btn" disabled={entry.place === undefined} onClick={open}>
              <ArrowUpRight size={14} strokeWidth={1.7} aria-hidden="true" />
              Open the session
            </button>
            <button type="button" className="btn" data-testid="put-aside" onClick={props.onPutAside}>
              <X size={14} strokeWidth={1.7} aria-hidden="true" />
              Put it aside
            </button>
          </div>
        ) : (
          <p className="pt-1 text-s text-ink-2">Waits no longer: put aside, or its session went on.</p>
        ))}
    </li>
  );
}

function Age({ at }: { readonly at: number }) {
  const now = useNow();
  return <span className="flex-none text-ink-3 tabular-nums">{formatAge(Math.max(0, now - at))}</span>;
}

/**
 * The height a card had while it waited, px, for a while after: what is below it must not move up under a press that is on its
 * way. Then the room is given up, since nobody reads an empty card.
 */
function useKeptHeight(card: RefObject<HTMLElement | null>, isWaiting: boolean): number | undefined {
  const height = useRef<number>(undefined);
  const [isOver, setOver] = useState(false);
  useLayoutEffect(() => {
    if (isWaiting && card.current !== null) height.current = card.current.offsetHeight;
  });
  useEffect(() => {
    if (isWaiting) return undefined;
    const timer = setTimeout(() => setOver(true), KEPT_MS);
    return () => clearTimeout(timer);
  }, [isWaiting]);
  useLayoutEffect(() => {
    const list = card.current?.parentElement;
    if (!isOver || list == null) return undefined;
    // What is below has just moved: a press on its way was meant for something else.
    list.style.pointerEvents = 'none';
    const timer = setTimeout(() => list.style.removeProperty('pointer-events'), GUARD_MS);
    return () => {
      clearTimeout(timer);
      list.style.removeProperty('pointer-events');
    };
  }, [isOver, card]);
  return isWaiting || isOver ? undefined : height.current;
}
