import { createDesktop, type Desktop } from '../store/desktop.ts';
import type { PageToWorker } from '../worker/protocol.ts';
import { SessionReader } from '../worker/session-reader.ts';
import type { Story } from './stories.ts';
import { madeUpId } from './story-agent.ts';

/** A desktop that shows a story: every control gets an id and no answer, every invite the same text. */
export function openStory(
  story: Story,
  onFrame: (fire: () => void) => void,
): { readonly desktop: Desktop; readonly posted: readonly PageToWorker[] } {
  const posted: PageToWorker[] = [];
  const clock = {
    nowMs: () => performance.now(),
    setTimer(delayMs: number, fire: () => void) {
      const timer = setTimeout(fire, delayMs);
      return () => clearTimeout(timer);
    },
  };
  const reader = new SessionReader({ clock, post: (answer) => desktop.receive({ type: 'read', answer }) });
  for (const event of story.events) reader.take(event);
  const desktop = createDesktop({
    nowMs: () => Date.now(),
    onFrame,
    keepToken: () => undefined,
    uuid: () => madeUpId(`channel ${posted.length}`),
    post(message) {
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
  desktop.receive({ type: 'events', events: story.events });
  desktop.select(story.selected);
  return { desktop, posted };
}
