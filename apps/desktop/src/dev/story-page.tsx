/** A page for looking at states of the screen without a relay or an agent: `story.html?story=permission`. Not in the product. */
import '../styles/index.css';
import { createRoot } from 'react-dom/client';
import { App } from '../components/App.tsx';
import { DesktopProvider } from '../components/use-desktop.ts';
import { applyLook, DENSITIES, THEMES } from '../look.ts';
import { onFrame } from '../on-frame.ts';
import { STORIES } from './stories.ts';
import { openStory } from './story-desktop.ts';

const query = new URLSearchParams(location.search);
applyLook({
  theme: THEMES.find((theme) => theme === query.get('theme')) ?? 'system',
  density: DENSITIES.find((density) => density === query.get('density')) ?? 'comfortable',
});

const makeStory = STORIES[query.get('story') ?? 'permission'];
if (makeStory === undefined) throw new TypeError(`?story= must be one of ${Object.keys(STORIES).join(', ')}`);
const { desktop, posted, tell } = openStory(makeStory(Date.now()), onFrame);
// For whoever drives the page: to send it more events, and to see what it would have sent.
Object.assign(globalThis, { desktop, posted, tell });

createRoot(document.getElementById('root') as HTMLElement).render(
  <DesktopProvider value={desktop}>
    <App />
  </DesktopProvider>,
);
