import { type FormEvent, useRef, useState } from 'react';
import { hasExtension } from '../../extension-signer.ts';
import { useDesktop } from '../use-desktop.ts';
import { FormProblem, RelaysField, useNamedRelays } from './RelaysField.tsx';
import { relayProblem, relayUrls } from './relay-field.ts';
import { SecretField, takeValue } from './SecretField.tsx';

/** Ways in that leave the key where it is: this browser's extension, or a remote signer. `home`: the relay that serves the page. */
export function SignerWays({ home }: { readonly home?: string | undefined }) {
  const desktop = useDesktop();
  const [isOpen, setOpen] = useState(false);
  const relays = useNamedRelays(home);
  const [problem, setProblem] = useState<string>();
  /** Acts on the relays that are named, or says what is wrong with them. */
  const withRelays = (act: (urls: readonly string[]) => void) => {
    setProblem(relays.problem);
    if (relays.problem === undefined) act(relays.urls);
  };
  if (!isOpen) {
    return (
      <div>
        <button type="button" className="btn max-md:w-full" data-testid="show-signers" onClick={() => setOpen(true)}>
          Use a signer
        </button>
      </div>
    );
  }
  return (
    <div className="stack gap-4" data-testid="signers">
      <p className="text-s text-ink-2">
        Your key stays at the signer: it signs what you order and opens what your agents send. That is for a few
        messages a second; the page says so when it is too slow for a busy agent.
      </p>
      <RelaysField
        label={home === undefined ? 'Relays of your agents' : 'More relays of your agents'}
        relays={relays}
        testId="signer-relays"
      />
      <FormProblem text={problem} />
      {hasExtension() ? (
        <div>
          <button
            type="button"
            className="btn go max-md:w-full"
            data-testid="use-extension"
            onClick={() => withRelays((urls) => desktop.connectExtension(urls))}
          >
            Use this browser’s signer
          </button>
        </div>
      ) : (
        <p className="text-s text-ink-3">This browser has no signer of its own (a NIP-07 extension).</p>
      )}
      <RemoteSigner home={home} withRelays={withRelays} />
    </div>
  );
}

function RemoteSigner(props: {
  readonly home: string | undefined;
  readonly withRelays: (act: (urls: readonly string[]) => void) => void;
}) {
  const desktop = useDesktop();
  const address = useRef<HTMLInputElement>(null);
  const [meetAt, setMeetAt] = useState(props.home ?? '');
  const [problem, setProblem] = useState<string>();
  const connect = (event: FormEvent) => {
    event.preventDefault();
    if (!/^\s*bunker:\/\//i.test(address.current?.value ?? '')) {
      return setProblem('Paste the address your signer shows; it begins with bunker://.');
    }
    setProblem(undefined);
    props.withRelays((urls) => desktop.connectBunker(takeValue(address.current), urls));
  };
  const offer = () => {
    const urls = relayUrls(meetAt);
    const bad = urls.length === 0 ? 'Name a relay that your signer reaches too.' : relayProblem(urls);
    setProblem(bad);
    if (bad === undefined) props.withRelays((relays) => desktop.offerConnection(urls, relays));
  };
  return (
    <form className="stack gap-3" onSubmit={connect} data-testid="bunker-form">
      <h3 className="font-medium">A remote signer (NIP-46)</h3>
      <SecretField
        label="Its address"
        hint="bunker://…, as the signer shows it"
        field={address}
        testId="bunker-address"
        autoComplete="off"
      />
      <FormProblem text={problem} testId="bunker-problem" />
      <button type="submit" className="btn go" data-testid="bunker-connect">
        Connect to it
      </button>
      <label className="stack gap-1">
        <span className="font-medium">Or let it find this page, on a relay that both reach</span>
        <span className="flex gap-2">
          <input
            className="field font-mono"
            value={meetAt}
            placeholder="wss://HOST"
            aria-label="Relay to meet the signer on"
            onChange={(event) => setMeetAt(event.target.value)}
            data-testid="meet-at"
          />
          <button type="button" className="btn flex-none" data-testid="show-connect-code" onClick={offer}>
            Show a code
          </button>
        </span>
      </label>
    </form>
  );
}
