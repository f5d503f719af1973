import { useContext } from 'react';
import { Dialog } from '../parts/Dialog.tsx';
import { ActionsContext } from './actions.ts';

/** Keys that belong to what they are pressed in. */
const FIXED: readonly (readonly [key: string, words: string])[] = [
  ['1–9', 'Held: give that answer to the request in view'],
  ['a', 'Held: allow the request in view, once'],
  ['d', 'Held: reject the request in view, once'],
  ['Esc', 'Cancel the turn; close what is open'],
  ['Enter', 'Send; Shift+Enter starts a new line'],
  ['Ctrl K', 'Find a session or something to do'],
  ['?', 'This list'],
];

/** Every key that does something now. */
export function KeyList(props: { readonly onClose: () => void }) {
  const keyed = useContext(ActionsContext)
    .read()
    .flatMap(({ key, label }) => (key === undefined ? [] : [[key, label] as const]));
  return (
    <Dialog title="Keys" testId="key-list" onClose={props.onClose}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-5 gap-y-1.5 px-5 pt-2 pb-6">
        {[...keyed, ...FIXED].map(([key, words]) => (
          <div key={key} className="contents">
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
