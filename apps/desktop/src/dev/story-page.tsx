/** A page for looking at states of the screen without a relay or an agent: `story.html?story=permission`. Not in the product. */
import '../styles/index.css';
import { createRoot } from 'react-dom/client';
import { App } from '../components/App.tsx';
import { DesktopProvider } from '../components/use-desktop.ts';
import { onFrame } from '../on-frame.ts';
import { createDesktop } from '../store/desktop.ts';
import { applyTheme, THEMES } from '../theme.ts';
import { STORIES } from './stories.ts';
import { madeUpId } from './story-agent.ts';

const query = new URLSearchParams(location.search);
applyTheme(THEMES.find((theme) => theme === query.get('theme')) ?? 'system');

const desktop = createDesktop({
  nowMs: () => Date.now(),
  onFrame,
  keepToken: () => undefined,
  // A worker that takes everything and is never answered, but for invites.
  post(message) {
    if (message.type === 'control')
      desktop.receive({ type: 'control-started', id: message.id, requestId: madeUpId(`${message.id}`) });
    if (message.type === 'invite')
      desktop.receive({ type: 'invited', id: message.id, result: { ok: true, value: { text: 'helio1story' } } });
  },
});

const makeStory = STORIES[query.get('story') ?? 'permission'];
if (makeStory === undefined) throw new TypeError(`?story= must be one of ${Object.keys(STORIES).join(', ')}`);
const story = makeStory(Date.now());
desktop.receive({ type: 'session', session: story.session });
desktop.receive({ type: 'events', events: story.events });
desktop.select(story.selected);
Object.assign(globalThis, { desktop });

createRoot(document.getElementById('root') as HTMLElement).render(
  <DesktopProvider value={desktop}>
    <App />
  </DesktopProvider>,
);
