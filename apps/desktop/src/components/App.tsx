import { Connecting } from './setup/Connecting.tsx';
import { FirstRun } from './setup/FirstRun.tsx';
import { Landing } from './setup/Landing.tsx';
import { Panel } from './setup/Panel.tsx';
import { Unlock } from './setup/Unlock.tsx';
import { UpdateNote } from './UpdateNote.tsx';
import { useDesktopState } from './use-desktop.ts';
import { Workspace } from './Workspace.tsx';

/** The page, below what there is to say of the page itself. */
export function App() {
  return (
    <div className="flex h-full flex-col">
      <UpdateNote />
      <div className="min-h-0 flex-1">
        <Content />
      </div>
    </div>
  );
}

/** What the page shows, by how far it has come to a key. */
function Content() {
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
        <FirstRun server={session.server} problem={session.problem} />
      ) : (
        <Landing relay={session.relay} problem={session.problem} />
      );
    case 'locked':
      return <Unlock keptBy={session.keptBy} replaces={session.replaces} problem={session.problem} />;
    case 'connecting':
      return <Connecting session={session} />;
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
      return <Workspace key={session.publicKey} owner={session.publicKey} />;
  }
}
