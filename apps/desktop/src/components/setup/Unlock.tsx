import { type FormEvent, useRef, useState } from 'react';
import { useDesktop } from '../use-desktop.ts';
import { Panel } from './Panel.tsx';
import { SecretField, takeValue } from './SecretField.tsx';

/** The key is here, encrypted. */
export function Unlock(props: { readonly keptBy: 'host' | 'device'; readonly problem: string | undefined }) {
  const desktop = useDesktop();
  const passphrase = useRef<HTMLInputElement>(null);
  const [isForgetting, setForgetting] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    desktop.unlock(takeValue(passphrase.current));
  };
  return (
    <Panel title="Unlock your key" testId="unlock">
      <form className="stack gap-4" onSubmit={submit}>
        <p className="text-l text-ink-2">
          {props.keptBy === 'device'
            ? 'It is kept in this browser, encrypted.'
            : 'The desktop’s host handed it over encrypted: its file has a passphrase.'}
        </p>
        <SecretField label="Passphrase" field={passphrase} testId="unlock-passphrase" autoComplete="current-password" />
        {props.problem !== undefined && (
          <p className="text-bad" role="alert" data-testid="problem">
            {props.problem}
          </p>
        )}
        <button type="submit" className="btn go" data-testid="unlock-submit">
          Unlock
        </button>
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
