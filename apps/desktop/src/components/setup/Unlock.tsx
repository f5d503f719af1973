import { type FormEvent, useEffect, useRef, useState } from 'react';
import { PlainHttpNote } from '../parts/PlainHttpNote.tsx';
import { useDesktop, useDesktopState } from '../use-desktop.ts';
import { Panel } from './Panel.tsx';
import { SecretField, takeValue } from './SecretField.tsx';

type KeptBy = 'host' | 'device' | 'link';

const WHERE: Readonly<Record<KeptBy, string>> = {
  device: 'It is kept in this browser, encrypted.',
  host: 'The desktop’s host handed it over encrypted: its file has a passphrase.',
  link: 'It came with the link, encrypted under the passphrase you chose there. Unlocked, it is kept in this browser, still encrypted. Whoever serves this page could read it then: go on if you trust this relay.',
};

/** The key is here, encrypted. */
export function Unlock(props: {
  readonly keptBy: KeptBy;
  readonly replaces: boolean;
  readonly problem: string | undefined;
}) {
  const desktop = useDesktop();
  const session = useDesktopState((state) => state.session);
  const passphrase = useRef<HTMLInputElement>(null);
  const [isForgetting, setForgetting] = useState(false);
  const [isBusy, setBusy] = useState(false);
  // Whatever the worker says next is its answer.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the session is what is waited for
  useEffect(() => setBusy(false), [session]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    desktop.unlock(takeValue(passphrase.current));
  };
  return (
    <Panel title="Unlock your key" testId="unlock">
      <form className="stack gap-4" onSubmit={submit}>
        <p className="text-l text-ink-2">
          {WHERE[props.keptBy]}
          {props.replaces && ' This browser keeps a key already: the new one takes its place.'}
        </p>
        <SecretField label="Passphrase" field={passphrase} testId="unlock-passphrase" autoComplete="current-password" />
        {props.problem !== undefined && (
          <p className="text-bad" role="alert" data-testid="problem">
            {props.problem}
          </p>
        )}
        <button type="submit" className="btn go" disabled={isBusy} data-testid="unlock-submit">
          {isBusy ? 'Unlocking' : 'Unlock'}
        </button>
        <PlainHttpNote />
      </form>
      {props.keptBy === 'device' &&
        (isForgetting ? (
          <p className="mt-5 flex flex-wrap items-center gap-2">
            Without another copy the key is gone for good.
            <button type="button" className="btn bad" onClick={() => desktop.forgetKey()}>
              Remove it from this device
            </button>
          </p>
        ) : (
          <button type="button" className="link mt-5 text-ink-2" onClick={() => setForgetting(true)}>
            Remove the key from this device
          </button>
        ))}
    </Panel>
  );
}
