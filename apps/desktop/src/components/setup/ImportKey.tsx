import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useDesktop, useDesktopState } from '../use-desktop.ts';
import { FormProblem, RelaysField, useNamedRelays } from './RelaysField.tsx';
import { SecretField, takeValue } from './SecretField.tsx';

export const MIN_PASSPHRASE_CHARACTERS = 8;

/** Takes a key in, to be kept in this browser. `home`: the relay that serves the page, which needs not be named. */
export function ImportKey({ home }: { readonly home?: string | undefined }) {
  const desktop = useDesktop();
  const session = useDesktopState((state) => state.session);
  const secret = useRef<HTMLInputElement>(null);
  const passphrase = useRef<HTMLInputElement>(null);
  const relays = useNamedRelays(home);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  // Whatever the worker says next is its answer.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the session is what is waited for
  useEffect(() => setBusy(false), [session]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (relays.problem !== undefined) return setProblem(relays.problem);
    if (!secret.current?.value.trim()) return setProblem('Paste the secret key: nsec1… or ncryptsec1….');
    if ([...(passphrase.current?.value ?? '')].length < MIN_PASSPHRASE_CHARACTERS) {
      return setProblem(`The passphrase must have at least ${MIN_PASSPHRASE_CHARACTERS} characters.`);
    }
    setProblem(undefined);
    setBusy(true);
    desktop.importKey(takeValue(secret.current), takeValue(passphrase.current), relays.urls);
  };
  return (
    <form className="stack gap-4" onSubmit={submit} data-testid="import-form">
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
      <RelaysField
        label={home === undefined ? 'Relays' : 'More relays, if you use others too'}
        relays={relays}
        testId="import-relays"
      />
      <FormProblem text={problem} />
      <button type="submit" className="btn go" disabled={isBusy} data-testid="import-submit">
        {isBusy ? 'Encrypting the key' : 'Keep the key on this device'}
      </button>
    </form>
  );
}
