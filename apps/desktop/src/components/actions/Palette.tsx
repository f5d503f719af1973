import { Command } from 'cmdk';
import { useContext, useEffect, useMemo, useRef } from 'react';
import { lineOf, selectFleet } from '../../store/fleet.ts';
import { sessionKey } from '../../store/session-ref.ts';
import { toPlainLine } from '../../text/visible-text.ts';
import { VisibleText } from '../content/VisibleText.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { useDesktop, useDesktopState } from '../use-desktop.ts';
import { type Action, ActionsContext } from './actions.ts';

const GROUPS: readonly Action['group'][] = ['Session', 'Agent', 'Page'];

/** Every session and everything that can be done, by a few letters of its name. */
export function Palette(props: { readonly onClose: () => void; readonly onSelect: () => void }) {
  const desktop = useDesktop();
  const registry = useContext(ActionsContext);
  const agents = useDesktopState((state) => state.agents);
  const sessions = useMemo(() => selectFleet(agents).flatMap(({ entries }) => entries), [agents]);
  const actions = registry.read();
  const input = useRef<HTMLInputElement>(null);
  // After the dialog has opened, which gives the focus to its first button.
  useEffect(() => input.current?.focus(), []);
  const run = (action: () => void) => {
    props.onClose();
    // What the action opens must not find this dialog in its place.
    requestAnimationFrame(action);
  };
  return (
    <Dialog title="Find" testId="palette" onClose={props.onClose}>
      <Command className="stack gap-2 px-5 pt-1 pb-5" label="Find a session or something to do">
        <Command.Input
          ref={input}
          className="field"
          placeholder="A session, or something to do"
          data-testid="palette-input"
        />
        <Command.List className="max-h-[50vh] overflow-y-auto">
          <Command.Empty className="py-3 text-ink-2">Nothing is called that.</Command.Empty>
          <Command.Group heading="Sessions">
            {sessions.map(({ ref, title, ...entry }) => (
              <Command.Item
                key={sessionKey(ref)}
                value={sessionKey(ref)}
                keywords={[toPlainLine(title, 160), toPlainLine(entry.who, 64), toPlainLine(entry.words, 160)]}
                className="palette-item"
                data-testid="palette-session"
                onSelect={() =>
                  run(() => {
                    desktop.select(ref);
                    props.onSelect();
                  })
                }
              >
                <span className="min-w-0 truncate">
                  <VisibleText text={title} max={160} />
                </span>
                <span className="ml-auto min-w-0 truncate text-s text-ink-3">
                  <VisibleText text={lineOf({ ref, title, ...entry })} max={120} />
                </span>
              </Command.Item>
            ))}
          </Command.Group>
          {GROUPS.map((group) => (
            <Command.Group key={group} heading={group}>
              {actions
                .filter((action) => action.group === group)
                .map(({ id, label, key, run: action }) => (
                  <Command.Item
                    key={id}
                    value={id}
                    keywords={[label]}
                    className="palette-item"
                    data-testid={`palette-${id}`}
                    onSelect={() => run(action)}
                  >
                    <VisibleText text={label} max={120} />
                    {key !== undefined && <kbd className="ml-auto">{key}</kbd>}
                  </Command.Item>
                ))}
            </Command.Group>
          ))}
        </Command.List>
      </Command>
    </Dialog>
  );
}
