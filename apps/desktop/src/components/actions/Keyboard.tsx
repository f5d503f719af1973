import { useContext, useEffect, useEffectEvent, useState } from 'react';
import { ActionsContext } from './actions.ts';
import { isTyping } from './is-typing.ts';
import { KeyList } from './KeyList.tsx';
import { Palette } from './Palette.tsx';

/** Turns keys into the actions that are there, and shows them all: by name (Ctrl+K) or by key (?). */
export function Keyboard(props: { readonly onSelect: () => void }) {
  const actions = useContext(ActionsContext);
  const [shown, setShown] = useState<'palette' | 'keys'>();
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.altKey || event.isComposing) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      if (document.querySelector('dialog[open]') === null) setShown('palette');
      return;
    }
    if (event.ctrlKey || event.metaKey || isTyping(event.target)) return;
    if (event.key === '?') setShown('keys');
    else {
      const action = actions.read().findLast(({ key }) => key === event.key);
      if (action === undefined) return;
      action.run();
    }
    event.preventDefault();
  });
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const close = () => setShown(undefined);
  if (shown === 'palette') return <Palette onClose={close} onSelect={props.onSelect} />;
  return shown === 'keys' ? <KeyList onClose={close} /> : null;
}
