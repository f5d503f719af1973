import { type FormEvent, useState } from 'react';
import { readRelays } from '../../store/lights.ts';
import { useNow } from '../parts/use-now.ts';
import { useDesktop, useDesktopState } from '../use-desktop.ts';
import { relayProblem } from './relay-field.ts';

/** Where agents are met. A key that this browser keeps can be used on further relays. */
export function RelayList() {
  const desktop = useDesktop();
  const session = useDesktopState((state) => state.session);
  const [url, setUrl] = useState('');
  const [problem, setProblem] = useState<string>();
  if (session.phase !== 'ready') return null;
  const { relays, homeRelay, keptBy } = session;
  const isOurs = keptBy !== 'host';
  const add = (event: FormEvent) => {
    event.preventDefault();
    const wanted = url.trim();
    const bad = relayProblem([wanted]);
    setProblem(bad);
    if (bad !== undefined) return;
    setUrl('');
    if (!relays.includes(wanted)) desktop.setRelays([...relays, wanted]);
  };
  return (
    <section>
      <h3 className="mb-1.5 font-medium">Relays</h3>
      {relays.length === 0 && !isOurs && (
        <p className="text-ink-2">
          None. Start the desktop with <code className="text-code">--relay ws://HOST:7447</code>.
        </p>
      )}
      <ul className="stack gap-1">
        {relays.map((relay) => (
          <li key={relay} className="flex flex-wrap items-center gap-x-3" data-testid="settings-relay">
            <span className="min-w-0 flex-1">
              <span className="block font-mono text-code wrap-anywhere">{relay}</span>
              <RelayWords url={relay} />
            </span>
            {isOurs &&
              (relay === homeRelay ? (
                <span className="text-s text-ink-3">serves this page</span>
              ) : (
                <button
                  type="button"
                  className="link text-ink-2"
                  aria-label={`Remove ${relay}`}
                  data-testid="remove-relay"
                  onClick={() => desktop.setRelays(relays.filter((other) => other !== relay))}
                >
                  Remove
                </button>
              ))}
          </li>
        ))}
      </ul>
      {isOurs && (
        <form className="mt-2 flex gap-2" onSubmit={add}>
          <input
            className="field font-mono"
            value={url}
            placeholder="wss://HOST"
            aria-label="Address of another relay"
            data-testid="relay-url"
            onChange={(event) => setUrl(event.target.value)}
          />
          <button
            type="submit"
            className="btn shrink-0 whitespace-nowrap"
            disabled={url.trim() === ''}
            data-testid="add-relay"
          >
            Add
          </button>
        </form>
      )}
      {problem !== undefined && (
        <p className="mt-1 text-s text-bad" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}

/** How this relay is, in words: of several one may be away while the light is green. */
function RelayWords({ url }: { readonly url: string }) {
  const relay = useDesktopState((state) => state.relays.find((one) => one.url === url));
  const now = useNow();
  if (relay === undefined) return null;
  const { sign, words } = readRelays([relay], now);
  return (
    <span className="flex items-baseline gap-1.5 text-s text-ink-2" data-testid="relay-words" data-sign={sign}>
      <span className={`sign ${sign}`} aria-hidden="true" />
      <span className="min-w-0 wrap-anywhere">{sign === 'ok' ? 'Connected.' : words}</span>
    </span>
  );
}
