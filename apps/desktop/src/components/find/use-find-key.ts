import { useEffect, useEffectEvent } from 'react';

/**
 * Ctrl+F (or Cmd+F) searches all of the session: the browser's own search sees only the rows that are drawn. Pressed once
 * more in the field it is the browser's.
 */
export function useFindKey(open: () => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'f') return;
    const isInField = event.target instanceof Element && event.target.closest('search') !== null;
    if (isInField || document.querySelector('dialog[open]') !== null) return;
    event.preventDefault();
    open();
  });
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
