import { useEffect } from 'react';
import type { AwayRow as Away } from '../../store/rows.ts';
import { plural } from '../../text/human.ts';
import { useMore } from './more-context.ts';

/** Where items are that this page does not hold now: they come when somebody gets here. */
export function AwayRow(props: { readonly row: Away }) {
  const { items, before, letGo } = props.row;
  const more = useMore();
  const { turnId, itemId } = before;
  // A row is drawn when it is near to what is read.
  // biome-ignore lint/correctness/useExhaustiveDependencies: fewer of them missing is a reason to ask again
  useEffect(() => more?.({ turnId, itemId }), [more, turnId, itemId, items]);
  return (
    <p className="py-1.5 text-s text-ink-3" data-testid="away" data-items={items} data-let-go={letGo}>
      {letGo === undefined && `${plural(items, 'more item comes', 'more items come')} as you read on.`}
      {letGo === 'kept' &&
        `${plural(items, 'item of this turn is', 'items of this turn are')} being read again: this page had let go of what nobody looked at.`}
      {letGo === 'gone' &&
        `${plural(items, 'item of this turn is', 'items of this turn are')} no longer here, and no longer kept by the harness; an archive may have them.`}
    </p>
  );
}
