import { type FormEvent, useRef, useState } from 'react';
import { useDesktop } from '../use-desktop.ts';
import { Panel } from './Panel.tsx';
import { SecretField, takeValue } from './SecretField.tsx';

const MIN_PASSPHRASE_CHARACTERS = 8;

/** No key here. Nothing is made silently: the page says how to open it with one, or takes one in. */
export function FirstRun(props: { readonly hasHost: boolean; readonly problem: string | undefined }) {
  const [isImporting, setImporting] = useState(!props.hasHost);
  return (
    <Panel title={props.hasHost ? 'Open the link that was printed' : 'This page has no key yet'} testId="first-run">
      {props.problem !== undefined && (
        <p
          className="mb-3 rounded-lg border border-bad-line bg-bad-wash px-3 py-2 text-bad"
          role="alert"
          data-testid="problem"
        >
          {props.problem}
        </p>
      )}
      {props.hasHost ? (
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
      ) : (
        <p className="text-l text-ink-2">
          Your agents are known by your owner key. On the machine that has it, run{' '}
          <code className="text-code">heliograph desktop</code> and open the link it prints. To use this device on its
          own, bring the key here.
        </p>
      )}
      {isImporting ? (
        <ImportKey />
      ) : (
        <button type="button" className="link mt-5" data-testid="show-import" onClick={() => setImporting(true)}>
          Use a key on this device instead
        </button>
      )}
    </Panel>
  );
}

function ImportKey() {
  const desktop = useDesktop();
  const secret = useRef<HTMLInputElement>(null);
  const passphrase = useRef<HTMLInputElement>(null);
  const [relays, setRelays] = useState('');
  const [problem, setProblem] = useState<string>();

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const urls = relays.split(/[\s,]+/).filter((url) => url !== '');
    const bad = urls.find((url) => !/^wss?:\/\//.test(url) || !URL.canParse(url));
    if (urls.length === 0) return setProblem('Name a relay to meet your agents on, like ws://HOST:7447.');
    if (bad !== undefined) return setProblem(`“${bad}” is no relay: it must start with ws:// or wss://.`);
    if (!secret.current?.value.trim()) return setProblem('Paste the secret key: nsec1… or ncryptsec1….');
    if ([...(passphrase.current?.value ?? '')].length < MIN_PASSPHRASE_CHARACTERS) {
      return setProblem(`The passphrase must have at least ${MIN_PASSPHRASE_CHARACTERS} characters.`);
    }
    setProblem(undefined);
    desktop.importKey(takeValue(secret.current), takeValue(passphrase.current), urls);
  };
  return (
    <form className="mt-6 stack gap-4" onSubmit={submit} data-testid="import-form">
      <SecretField
        label="Secret key"
        hint="nsec1…, or ncryptsec1… if it is encrypted already"
        field={secret}
        testId="import-secret"
        autoComplete="off"
      />
      <SecretField
        label="Passphrase"
        hint="The key is kept in this browser, encrypted under it (NIP-49). It is asked for at every start."
        field={passphrase}
        testId="import-passphrase"
        autoComplete="off"
      />
      <label className="stack gap-1">
        <span className="font-medium">Relays</span>
        <input
          className="field font-mono"
          value={relays}
          placeholder="ws://HOST:7447"
          onChange={(event) => setRelays(event.target.value)}
          data-testid="import-relays"
        />
      </label>
      {problem !== undefined && (
        <p className="text-bad" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" className="btn go" data-testid="import-submit">
        Keep the key on this device
      </button>
    </form>
  );
}
