import type { QuestionItem } from '@heliograph/transcript';
import { type ReactNode, useEffect, useRef } from 'react';
import { formatAge, parseTime } from '../../text/human.ts';
import { useNow } from '../parts/use-now.ts';
import { useIsPast } from '../replay/past-context.ts';
import { LinesButton } from './LinesButton.tsx';
import { useSeenPermissions } from './seen-permissions.ts';

/** The card of something the agent asks and nobody answered here: lit only while an answer would reach it, else history. */
export function OpenQuestion(props: {
  readonly item: QuestionItem;
  readonly isOpen: boolean;
  readonly label: string;
  readonly title: ReactNode;
  readonly children: ReactNode;
}) {
  const { item, isOpen } = props;
  const card = useRef<HTMLElement>(null);
  const seen = useSeenPermissions();
  const isPast = useIsPast();
  useEffect(
    () => (isOpen && card.current !== null ? seen.watch(card.current, item.id) : undefined),
    [isOpen, item.id, seen],
  );
  return (
    <article
      ref={card}
      className={`rounded-lg border px-3.5 py-3 ${isOpen ? 'border-sun-line bg-sun-wash' : 'border-line bg-ground'}`}
      aria-label={props.label}
      data-testid={`${item.kind}-card`}
      data-state={item.state}
      data-answerable={isOpen}
      data-nonce={item.nonce}
    >
      <header className="flex items-start gap-2">
        <p className="min-w-0 flex-1">
          <b className="text-l">{props.title}</b>{' '}
          <span className="text-s text-ink-2 max-md:block">
            {isOpen ? (
              <Waiting item={item} />
            ) : isPast ? (
              'waited for an answer at this line'
            ) : (
              'not answered in what is here; nothing can be answered now'
            )}
          </span>
        </p>
        <div className="-mt-1 -mr-2 flex-none">
          <LinesButton refs={item.refs} />
        </div>
      </header>
      {props.children}
    </article>
  );
}

function Waiting({ item }: { readonly item: QuestionItem }) {
  const now = useNow();
  const askedMs = parseTime(item.at);
  const expiresMs = parseTime(item.expiresAt);
  return (
    <>
      {askedMs !== undefined && `asked ${formatAge(now - askedMs)}${now - askedMs < 5_000 ? '' : ' ago'} · `}
      waits for you
      {expiresMs !== undefined && ` · expires in ${formatAge(expiresMs - now)}`}
    </>
  );
}
