import { createContext, useContext, useEffect, useEffectEvent } from 'react';

/** Something the owner can do from where they are, by key or by its name. */
export interface Action {
  readonly id: string;
  readonly label: string;
  readonly group: 'Session' | 'Agent' | 'Page';
  /** As `KeyboardEvent.key`. */
  readonly key?: string;
  readonly run: () => void;
}

/** What can be done right now: whatever is on the screen says what it can do. */
export interface Actions {
  add(actions: readonly Action[]): () => void;
  read(): readonly Action[];
}

export function createActions(): Actions {
  const sets = new Set<readonly Action[]>();
  return {
    add(actions) {
      sets.add(actions);
      return () => sets.delete(actions);
    },
    read: () => [...sets].flat(),
  };
}

export const ActionsContext = createContext<Actions>(createActions());

/** Offers actions while the component is there; `run` is always the newest. */
export function useActions(actions: readonly Action[]): void {
  const registry = useContext(ActionsContext);
  const run = useEffectEvent((id: string) => actions.find((action) => action.id === id)?.run());
  const signature = JSON.stringify(actions);
  useEffect(() => {
    const known = JSON.parse(signature) as Omit<Action, 'run'>[];
    return registry.add(known.map((action) => ({ ...action, run: () => run(action.id) })));
  }, [registry, signature]);
}
