import { useEffect, useState } from 'react';
import { plural } from '../text/human.ts';

/** Things that come together are told once. */
const SETTLE_MS = 1_500;

/** How much waits: in the tab's title at once, on an installed page's icon, and said aloud only when it became more. */
export function WaitingCount({ waiting }: { readonly waiting: number }) {
  const [told, setTold] = useState(waiting);
  const [words, setWords] = useState('');
  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) Heliograph` : 'Heliograph';
    // Only installed pages have an icon to write on.
    (waiting > 0 ? navigator.setAppBadge?.(waiting) : navigator.clearAppBadge?.())?.catch(() => undefined);
  }, [waiting]);
  useEffect(() => {
    const timer = setTimeout(() => {
      setTold(waiting);
      if (waiting > told) setWords(`${plural(waiting, 'thing waits', 'things wait')} for you`);
      // What is no longer so must not be there to be read; taken away, it is not said.
      else if (waiting < told) setWords('');
    }, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [waiting, told]);
  return (
    <p className="sr-only" role="status" data-testid="waiting-count">
      {words}
    </p>
  );
}
