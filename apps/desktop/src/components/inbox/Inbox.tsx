import { ArrowDown, ChevronLeft } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { putAside } from '../../store/aside.ts';
import { selectFleet } from '../../store/fleet.ts';
import type { InboxEntry } from '../../store/inbox.ts';
import { clearDone, EMPTY_INBOX, goneTo, type InboxList, nextInbox } from '../../store/inbox-list.ts';
import { sameSession } from '../../store/session-ref.ts';
import { plural } from '../../text/human.ts';
import { useActions } from '../actions/actions.ts';
import { useDesktop } from '../use-desktop.ts';
import { createChosenCard } from './chosen-card.ts';
import { InboxCard } from './InboxCard.tsx';

/** Everything that waits for the owner, from every agent and machine, to be answered where it stands. */
export function Inbox(props: {
  readonly entries: readonly InboxEntry[];
  readonly onBack: () => void;
  readonly onOpened: () => void;
}) {
  const { entries } = props;
  const desktop = useDesktop();
  const [list, setList] = useState<InboxList>(() => nextInbox(EMPTY_INBOX, entries));
  const [seenEntries, setSeenEntries] = useState(entries);
  if (seenEntries !== entries) {
    setSeenEntries(entries);
    setList(nextInbox(list, entries));
  }
  const cards = useRef<HTMLOListElement>(null);
  const [chosen] = useState(createChosenCard);
  const [chosenKey, setChosenKey] = useState<string>();
  const { shown, waiting, fresh, more } = list;
  const done = shown.filter(({ key }) => !waiting.has(key)).length;

  const choose = (key: string) => {
    chosen.choose(key);
    setChosenKey(key);
  };
  const step = (by: 1 | -1) => {
    const at = shown.findIndex(({ key }) => key === chosenKey);
    focusCard(at < 0 ? 0 : at + by);
  };
  const focusCard = (at: number) => {
    const card = cards.current?.children[at];
    if (!(card instanceof HTMLElement)) return;
    card.focus({ preventScroll: true });
    card.scrollIntoView({ block: 'nearest' });
  };
  const goToFresh = () => {
    const [first] = fresh;
    setList(goneTo(list));
    focusCard(shown.findIndex(({ key }) => key === first));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever comes here can answer the first at once
  useEffect(() => focusCard(0), []);
  const open = ({ place, ref }: InboxEntry, itemId: string) => {
    if (place === undefined) return;
    if (ref.channelId === null) desktop.select(place);
    else desktop.reveal({ ref: place, itemId });
    props.onOpened();
  };
  /** When the newest came in an entry's session: with its failure all of it is put aside. */
  const newestOf = ({ ref }: InboxEntry) =>
    selectFleet(desktop.store.getState().agents)
      .flatMap(({ entries: sessions }) => sessions)
      .find((session) => sameSession(session.ref, ref))?.at ?? 0;
  const current = shown.find(({ key }) => key === chosenKey);
  useActions([
    { id: 'next', label: 'Next in the inbox', group: 'Page', key: 'j', run: () => step(1) },
    { id: 'previous', label: 'The one before in the inbox', group: 'Page', key: 'k', run: () => step(-1) },
    ...(current === undefined
      ? []
      : [
          {
            id: 'inbox-open',
            label: 'Open it in its session',
            group: 'Page' as const,
            key: 'o',
            run: () => open(current, current.item.id),
          },
        ]),
    ...(fresh.length === 0
      ? []
      : [
          {
            id: 'inbox-fresh',
            label: 'Go to what came since',
            group: 'Page' as const,
            key: 'r',
            run: goToFresh,
          },
        ]),
  ]);
  return (
    <main className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface" data-testid="inbox">
      <header className="flex min-h-12 flex-none items-center gap-2 border-b border-line px-6 py-1.5 max-md:px-3.5">
        <button
          type="button"
          className="tab -ml-3 md:hidden"
          aria-label="All sessions"
          data-testid="inbox-back"
          onClick={props.onBack}
        >
          <ChevronLeft size={18} strokeWidth={1.7} />
        </button>
        <h1 className="text-h font-semibold tracking-[-0.01em]">Inbox</h1>
        <span className="min-w-0 flex-1 truncate text-s text-ink-2">
          {waiting.size > 0 ? `${plural(waiting.size, 'thing waits', 'things wait')} for you` : ''}
        </span>
        {fresh.length > 0 ? (
          <button
            type="button"
            className="btn flex-none border-sun-line bg-sun-wash"
            data-testid="inbox-fresh"
            onClick={goToFresh}
          >
            {fresh.length} new
            <ArrowDown size={14} strokeWidth={1.7} aria-hidden="true" />
            <kbd>r</kbd>
          </button>
        ) : (
          done > 0 && (
            <button
              type="button"
              className="tab flex-none"
              data-testid="inbox-clear"
              onClick={() => setList(clearDone(list))}
            >
              Clear what is done
            </button>
          )
        )}
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
        {shown.length === 0 ? (
          <div className="mx-auto max-w-[45rem] px-6 py-14 max-md:px-3.5" data-testid="inbox-empty">
            <h2 className="mb-1.5 text-l font-semibold">Nothing waits for you</h2>
            <p className="text-l text-ink-2">
              What your agents ask, and turns that failed, stand here as they come: from every session and every
              machine. They can be answered here without going there.
            </p>
          </div>
        ) : (
          <ol ref={cards} className="mx-auto max-w-[47.5rem] px-6 py-3 max-md:px-3.5">
            {shown.map((entry) => (
              <InboxCard
                key={entry.key}
                entry={entry}
                isWaiting={waiting.has(entry.key)}
                chosen={chosen}
                isChosen={entry.key === chosenKey}
                onChoose={() => choose(entry.key)}
                onOpen={(itemId) => open(entry, itemId)}
                onPutAside={() =>
                  desktop.setSeen((marks) => putAside(marks, entry.ref, Math.max(entry.at, newestOf(entry))))
                }
              />
            ))}
          </ol>
        )}
        {more > 0 && (
          <p className="mx-auto max-w-[47.5rem] px-6 pb-6 text-s text-ink-2 max-md:px-3.5">
            {plural(more, 'more waits', 'more wait')}: they appear as these are answered.
          </p>
        )}
      </div>
    </main>
  );
}
