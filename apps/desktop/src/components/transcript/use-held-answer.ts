import type { PermissionOption } from '@heliograph/transcript';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { isTyping } from '../actions/is-typing.ts';
import { useSeenPermissions } from './seen-permissions.ts';

/** No key answers a card before: a press meant for the one before it, or for none, is on its way for as long. */
const SETTLED_MS = 500;
/** A key answers once it was held so long: one that is typed beside a field is let go in a third of that. As in `.held`. */
const HELD_MS = 400;

export interface HeldAnswer {
  /** The answer whose key is held now. */
  readonly held: PermissionOption | undefined;
  /** The newest key that was let go too soon for its answer. */
  readonly letGo: string | undefined;
}

/**
 * Gives the answer whose key (1–9, a, d) was held while this card was the only one on the screen, had been for a while, and
 * nobody typed. Another key, the end of the hold, another answer in its place, a field or a dialog that took over, and a page
 * that is left take it back.
 */
export function useHeldAnswer(
  itemId: string,
  optionOf: (key: string) => PermissionOption | undefined,
  choose: (option: PermissionOption) => void,
): HeldAnswer {
  const seen = useSeenPermissions();
  const [answer, setAnswer] = useState<HeldAnswer>({ held: undefined, letGo: undefined });
  const hold = useRef<{ readonly key: string; readonly timer: ReturnType<typeof setTimeout> }>(undefined);
  const isMine = () => {
    const [only, ...others] = seen.read();
    return only === itemId && others.length === 0 && seen.settledMs() >= SETTLED_MS;
  };
  const end = (letGo: string | undefined) => {
    if (hold.current === undefined) return;
    clearTimeout(hold.current.timer);
    hold.current = undefined;
    setAnswer((before) => ({ held: undefined, letGo: letGo ?? before.letGo }));
  };
  const onHeld = useEffectEvent((key: string) => {
    end(undefined);
    // What is there now is answered, and only if it is still what was seen.
    const option = optionOf(key);
    const isSeen = option?.optionId === answer.held?.optionId && option?.name === answer.held?.name;
    if (option !== undefined && isSeen && isMine() && !isTyping(document.activeElement)) choose(option);
  });
  const onDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.repeat) return;
    end(undefined);
    if (event.ctrlKey || event.metaKey || event.altKey || !/^[1-9ad]$/.test(event.key)) return;
    if (isTyping(event.target) || !isMine()) return;
    const { key } = event;
    const option = optionOf(key);
    if (option === undefined) return;
    event.preventDefault();
    hold.current = { key, timer: setTimeout(() => onHeld(key), HELD_MS) };
    setAnswer((before) => ({ ...before, held: option }));
  });
  const onUp = useEffectEvent(() => end(hold.current?.key));
  const onLeave = useEffectEvent(() => end(undefined));
  useEffect(() => {
    document.addEventListener('keydown', onDown);
    document.addEventListener('keyup', onUp);
    addEventListener('blur', onLeave);
    return () => {
      document.removeEventListener('keydown', onDown);
      document.removeEventListener('keyup', onUp);
      removeEventListener('blur', onLeave);
      clearTimeout(hold.current?.timer);
    };
  }, []);
  return answer;
}
