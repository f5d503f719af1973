import { useActions } from '../actions/actions.ts';
import type { Replay } from '../replay/use-replay.ts';
import { useDesktop } from '../use-desktop.ts';
import { focusComposer } from './Composer.tsx';
import type { Panes } from './use-panes.ts';

/** What the keys and the palette can do in a session. */
export function useSessionActions(options: {
  readonly agent: string;
  readonly panes: Panes;
  readonly replay: Replay;
  readonly showStart: () => void;
  readonly openFind: () => void;
  readonly toggleReplay: () => void;
  readonly toggleRail: () => void;
}): void {
  const { panes, replay } = options;
  const desktop = useDesktop();
  useActions([
    { id: 'prompt', label: 'Write a prompt', group: 'Session', key: 'i', run: focusComposer },
    { id: 'find', label: 'Search in the session', group: 'Session', key: '/', run: options.openFind },
    { id: 'lines', label: 'Show or hide the lines', group: 'Session', key: 'l', run: options.toggleRail },
    { id: 'find-lines', label: 'Search in the lines', group: 'Session', key: '\\', run: panes.findLines },
    { id: 'replay', label: 'Go through the past', group: 'Session', key: 't', run: options.toggleReplay },
    ...(replay.isOpen
      ? ([
          { id: 'line-back', label: 'One line back', group: 'Session', key: '[', run: () => replay.step(-1) },
          { id: 'line-on', label: 'One line on', group: 'Session', key: ']', run: () => replay.step(1) },
          { id: 'play', label: 'Play or pause', group: 'Session', key: 'p', run: replay.togglePlay },
        ] as const)
      : []),
    { id: 'start', label: 'To the start', group: 'Session', key: 'g', run: options.showStart },
    { id: 'end', label: 'To the newest', group: 'Session', key: 'G', run: () => panes.list.current?.toEnd() },
    { id: 'resync', label: 'Ask how things are', group: 'Agent', run: () => desktop.resync(options.agent) },
  ]);
}
