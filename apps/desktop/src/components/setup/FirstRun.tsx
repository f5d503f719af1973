import { useState } from 'react';
import type { PageServer } from '../../worker/protocol.ts';
import { ImportKey } from './ImportKey.tsx';
import { Panel } from './Panel.tsx';
import { Problem } from './Problem.tsx';
import { SignerWays } from './SignerWays.tsx';

const TITLES: Readonly<Record<PageServer, string>> = {
  host: 'Open the link that was printed',
  other: 'This page has no key yet',
  away: 'Nothing answers here now',
};

/** No key here, and no relay serves the page. Nothing is made silently: it says how to open it with a key, or takes one in. */
export function FirstRun({ server, problem }: { readonly server: PageServer; readonly problem: string | undefined }) {
  const [isImporting, setImporting] = useState(server === 'other');
  return (
    <Panel title={TITLES[server]} testId="first-run">
      <Problem text={problem} />
      {server === 'away' && (
        <div className="stack gap-3 text-l text-ink-2" data-testid="server-away">
          <p>
            This browser kept the page, but nothing answers at its address, and no key is kept here. Start{' '}
            <code className="text-code">heliograph desktop</code> or the relay again, or look whether this device is on
            the network.
          </p>
          <div>
            <button type="button" className="btn go" onClick={() => location.reload()}>
              Try again
            </button>
          </div>
        </div>
      )}
      {server === 'host' ? (
        <div className="stack gap-3 text-l text-ink-2">
          <p>
            The link that was printed works once, so that nobody else on this machine can use it after you. A page that
            is open already goes on, also after a reload: look for its tab or window.
          </p>
          <p>
            For a new link, stop <code className="text-code">heliograph desktop</code> and start it again: agents
            elsewhere do not notice. If <code className="text-code">heliograph up</code> or{' '}
            <code className="text-code">npm start</code> printed the link, stopping it ends its agent too, and with it
            the session.
          </p>
        </div>
      ) : server === 'away' ? null : (
        <p className="text-l text-ink-2">
          Your agents are known by your owner key. On the machine that has it, run{' '}
          <code className="text-code">heliograph desktop</code> and open the link it prints. To use this device on its
          own, bring the key here.
        </p>
      )}
      {isImporting ? (
        <div className="mt-6">
          <ImportKey />
        </div>
      ) : (
        <button type="button" className="link mt-5" data-testid="show-import" onClick={() => setImporting(true)}>
          Use a key on this device instead
        </button>
      )}
      {server === 'other' && (
        <div className="mt-6">
          <SignerWays />
        </div>
      )}
    </Panel>
  );
}
