import { type RefObject, useEffect, useEffectEvent, useId, useRef, useState } from 'react';

/** A panel beside its button, closed by Escape or a press elsewhere. */
export interface Popover {
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
  /** For the element that holds button and panel. */
  readonly place: { readonly ref: RefObject<HTMLDivElement | null>; readonly 'data-popover-open': '' | undefined };
  /** For the button. */
  readonly button: {
    readonly 'aria-expanded': boolean;
    readonly 'aria-controls': string;
    readonly onClick: () => void;
  };
  readonly panelId: string;
}

export function usePopover(): Popover {
  const [isOpen, setOpen] = useState(false);
  const panelId = useId();
  const ref = useRef<HTMLDivElement>(null);
  const onOutside = useEffectEvent((event: Event) => {
    const isEscape = event instanceof KeyboardEvent && event.key === 'Escape';
    const isOutside = event.type === 'pointerdown' && !ref.current?.contains(event.target as Node);
    if (!isEscape && !isOutside) return;
    if (isEscape) event.preventDefault();
    setOpen(false);
  });
  useEffect(() => {
    if (!isOpen) return undefined;
    document.addEventListener('pointerdown', onOutside);
    document.addEventListener('keydown', onOutside, true);
    return () => {
      document.removeEventListener('pointerdown', onOutside);
      document.removeEventListener('keydown', onOutside, true);
    };
  }, [isOpen]);
  return {
    isOpen,
    setOpen,
    place: { ref, 'data-popover-open': isOpen ? '' : undefined },
    button: { 'aria-expanded': isOpen, 'aria-controls': panelId, onClick: () => setOpen(!isOpen) },
    panelId,
  };
}
