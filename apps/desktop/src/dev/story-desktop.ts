import type { ViewerEvent } from '@heliograph/client';
import { createDesktop, type Desktop, type DesktopPort } from '../store/desktop.ts';
import type { PageToWorker } from '../worker/protocol.ts';
import { SessionReader } from '../worker/session-reader.ts';
import type { Story } from './stories.ts';
import { madeUpId } from './story-agent.ts';
import { tellBy } from './story-teller.ts';

/** A desktop that shows a story: every control gets an id and no answer, every invite the same text. */
export function openStory(
  story: Story,
  onFrame: DesktopPort['onFrame'],
): {
  readonly desktop: Desktop;
  readonly posted: readonly PageToWorker[];
  /** Tells what a viewer tells. */
  readonly tell: (events: readonly ViewerEvent[]) => void;
} {
  const posted: PageToWorker[] = [];
  const clock = {
    // Nothing takes time here, so nothing is put off.
    nowMs: () => 0,
    setTimer(delayMs: number, fire: () => void) {
      const timer = setTimeout(fire, delayMs);
      return () => clearTimeout(timer);
    },
  };
  let isTelling = false;
  const reader: SessionReader = new SessionReader({
    clock,
    onChanges() {
      if (!isTelling) desktop.receive({ type: 'events', events: reader.changes() });
    },
    flush: () => undefined,
    readAgain: async () => ({ isAnswered: false }),
    post: (answer) => desktop.receive({ type: 'read', answer }),
  });
  /** All of it at once, as between two paints. */
  const tell = (events: readonly ViewerEvent[]) => {
    isTelling = true;
    const told = tellBy(reader, events);
    isTelling = false;
    desktop.receive({ type: 'events', events: told });
  };
  const desktop = createDesktop({
    nowMs: () => Date.now(),
    onFrame,
    keepToken: () => undefined,
    uuid: () => madeUpId(`channel ${posted.length}`),
    post(message) {
      if (message.type === 'painted') return;
      posted.push(message);
      if (message.type === 'read') reader.receive(message.request);
      if (message.type === 'control') {
        desktop.receive({ type: 'control-started', id: message.id, requestId: madeUpId(`request ${message.id}`) });
      }
      if (message.type === 'move-key') {
        const ncryptsec = `ncryptsec1${'q'.repeat(152)}`;
        desktop.receive({ type: 'key-moved', id: message.id, result: { ok: true, value: { ncryptsec } } });
      }
      if (message.type === 'invite') {
        desktop.receive({ type: 'invited', id: message.id, result: { ok: true, value: { text: 'helio1story' } } });
      }
    },
  });
  desktop.receive({ type: 'session', session: story.session });
  tell(story.events);
  desktop.select(story.selected);
  return { desktop, posted, tell };
}
