import { FirstRun } from './setup/FirstRun.tsx';
import { Landing } from './setup/Landing.tsx';
import { Panel } from './setup/Panel.tsx';
import { Unlock } from './setup/Unlock.tsx';
import { useDesktopState } from './use-desktop.ts';
import { Workspace } from './Workspace.tsx';

/** What the page shows, by how far it has come to a key. */
export function App() {
  const session = useDesktopState((state) => state.session);
  switch (session.phase) {
    case 'opening':
      return (
        <main className="grid h-full place-items-center text-ink-3" data-testid="opening">
          Opening
        </main>
      );
    case 'first-run':
      return session.relay === undefined ? (
        <FirstRun hasHost={session.hasHost} problem={session.problem} />
      ) : (
        <Landing relay={session.relay} problem={session.problem} />
      );
    case 'locked':
      return <Unlock keptBy={session.keptBy} replaces={session.replaces} problem={session.problem} />;
    case 'failed':
      return (
        <Panel title="The page can’t go on" testId="failed">
          <p className="text-l text-ink-2">{session.problem}</p>
          <button type="button" className="btn go mt-5" onClick={() => location.reload()}>
            Load it again
          </button>
        </Panel>
      );
    case 'ready':
      return <Workspace />;
  }
}
