import { type FormEvent, useRef, useState } from 'react';
import { MAX_REVOKED, moveLink } from '../../move-link.ts';
import { isLoopbackUrl } from '../../text/loopback-url.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
import { QrCode } from '../parts/QrCode.tsx';
import { useDesktop, useDesktopState } from '../use-desktop.ts';
import { MIN_PASSPHRASE_CHARACTERS } from './ImportKey.tsx';
import { SecretField, takeValue } from './SecretField.tsx';

/** The key, encrypted, as a code that a phone's camera opens on the page of a relay. */
export function MoveKey({ relays }: { readonly relays: readonly string[] }) {
  const [isOpen, setOpen] = useState(false);
  // What only this machine reaches opens nothing on another.
  const reachable = relays.filter((url) => !isLoopbackUrl(url));
  return (
    <section className="stack gap-2">
      <h3 className="font-medium">Use this key on a phone</h3>
      {reachable.length === 0 ? (
        <p className="text-ink-2" data-testid="no-way-to-move">
          {relays.length === 0 ? 'It needs a relay' : 'Your relays are reached from this machine only: it needs one'}{' '}
          that the phone reaches too, whose page it opens.
        </p>
      ) : isOpen ? (
        <Encrypt relays={reachable} />
      ) : (
        <div>
          <button type="button" className="btn" data-testid="move-key" onClick={() => setOpen(true)}>
            Show a code to scan
          </button>
        </div>
      )}
    </section>
  );
}

function Encrypt({ relays }: { readonly relays: readonly string[] }) {
  const desktop = useDesktop();
  const agents = useDesktopState((state) => state.agents);
  const revoked = agents.filter((agent) => agent.revoked).map(({ publicKey }) => publicKey);
  const passphrase = useRef<HTMLInputElement>(null);
  const [link, setLink] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if ([...(passphrase.current?.value ?? '')].length < MIN_PASSPHRASE_CHARACTERS) {
      return setProblem(`The passphrase must have at least ${MIN_PASSPHRASE_CHARACTERS} characters.`);
    }
    setProblem(undefined);
    setBusy(true);
    const moved = await desktop.moveKey(takeValue(passphrase.current));
    setBusy(false);
    if (moved.ok) setLink(moveLink({ ncryptsec: moved.value.ncryptsec, relays, revoked }));
    else setProblem(moved.error.message);
  };
  if (link !== undefined) {
    return (
      <div ref={showWhole} className="stack gap-2">
        <div className="move-qr">
          <QrCode text={link} label="A QR code that opens the relay’s page with your encrypted key" testId="move-qr" />
        </div>
        <p className="text-s text-ink-2">
          Scan it with the phone’s camera, and type the passphrase there. It opens the page of {relays[0]}, which must
          be a relay you trust: whoever serves the page could read the key once it is open.
          {revoked.length > 0 &&
            ` What you revoked stays revoked there${revoked.length > MAX_REVOKED ? `, the newest ${MAX_REVOKED} of it` : ''}.`}
        </p>
        {globalThis.isSecureContext && (
          <div>
            <CopyButton className="btn" text={() => link} label="Copy the link" testId="copy-move-link">
              Copy as a link
            </CopyButton>
          </div>
        )}
      </div>
    );
  }
  return (
    <form className="stack gap-3" onSubmit={(event) => void submit(event)}>
      <SecretField
        label="Passphrase"
        hint="The code holds the key encrypted under it (NIP-49). Whoever has a picture of the code can guess: take a long one."
        field={passphrase}
        testId="move-passphrase"
        autoComplete="off"
      />
      {problem !== undefined && (
        <p className="text-s text-bad" role="alert">
          {problem}
        </p>
      )}
      <div>
        <button type="submit" className="btn" disabled={isBusy} data-testid="move-submit">
          {isBusy ? 'Encrypting the key' : 'Make the code'}
        </button>
      </div>
    </form>
  );
}

/** It comes at the end of a long dialog: half a code is no code. */
function showWhole(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}
