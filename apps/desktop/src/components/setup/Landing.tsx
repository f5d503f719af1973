import { type ReactNode, useState } from 'react';
import { isLoopbackUrl } from '../../text/loopback-url.ts';
import type { OwnRelay } from '../../worker/own-relay.ts';
import { VisibleText } from '../content/VisibleText.tsx';
import { BrandMark } from '../parts/Brand.tsx';
import { Command } from '../parts/Command.tsx';
import { PlainHttpNote } from '../parts/PlainHttpNote.tsx';
import { QrCode } from '../parts/QrCode.tsx';
import { ImportKey } from './ImportKey.tsx';
import { Problem } from './Problem.tsx';
import { SignerWays } from './SignerWays.tsx';

/** A relay serves the page, and this browser has no key: what this is, where it is, and the ways in. No key is made here. */
export function Landing(props: { readonly relay: OwnRelay; readonly problem: string | undefined }) {
  const { url, name } = props.relay;
  return (
    <main className="h-full overflow-y-auto bg-ground" data-testid="landing">
      <div className="mx-auto max-w-[58rem] px-5 py-10 md:px-8 md:py-14">
        <BrandMark size={36} />
        <h1 className="mt-5 mb-2 text-xl font-semibold tracking-[-0.015em]">
          <VisibleText text={name} max={80} />
        </h1>
        <p className="max-w-[36rem] text-l text-ink-2">
          A relay for watching and steering coding agents with Heliograph. It passes sealed messages between agents and
          their owner, and can read none of them. Only its owners and the agents they vouch for get in.
        </p>
        <div className="mt-8 grid gap-x-12 gap-y-8 md:grid-cols-[minmax(0,1fr)_17rem]">
          <div className="stack content-start gap-8">
            <WaysIn url={url} problem={props.problem} />
            <BringAgent url={url} />
            <PlainHttpNote />
          </div>
          <Address url={url} />
        </div>
      </div>
    </main>
  );
}

function Section(props: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="stack content-start gap-3">
      <h2 className="text-h font-semibold">{props.title}</h2>
      {props.children}
    </section>
  );
}

/** Cameras open pages, not relays: the code holds the page's address, and the page knows its relay. */
function Address({ url }: { readonly url: string }) {
  return (
    <Section title="Its address">
      <Command text={url} label="Copy the relay’s address" testId="connect-string" />
      {isLoopbackUrl(url) ? (
        <p className="text-s text-ink-2" data-testid="loopback-only">
          Only this machine reaches it there. For others, start the relay with{' '}
          <code className="text-code">--host 0.0.0.0 --public-url ws://HOST:7447</code>.
        </p>
      ) : (
        <>
          <div className="max-w-[17rem]">
            <QrCode text={pageUrl(url)} label="A QR code with the address of this page" testId="page-qr" />
          </div>
          <p className="text-s text-ink-3">Scan it to open this page on a phone.</p>
        </>
      )}
    </Section>
  );
}

function WaysIn(props: { readonly url: string; readonly problem: string | undefined }) {
  const [isImporting, setImporting] = useState(false);
  return (
    <Section title="Come in with your key">
      <Problem text={props.problem} />
      <p className="text-ink-2">On the machine that keeps your key, which then stays where it is:</p>
      <Command text={`heliograph desktop --relay ${props.url}`} label="Copy the command" testId="desktop-command" />
      <OtherKeyFile />
      <p className="text-ink-2">
        To use this browser instead, move the key here: in your desktop’s <b>Settings</b>, under <b>Key</b>, is a code
        to scan. Or bring it yourself:
      </p>
      {isImporting ? (
        <>
          <p className="text-s text-ink-2" data-testid="trust">
            Whoever serves this page could read a key that is typed into it. Go on if this relay is yours, or belongs to
            somebody you would give the key to.
          </p>
          <ImportKey home={props.url} />
        </>
      ) : (
        <div>
          <button
            type="button"
            className="btn max-md:w-full"
            data-testid="show-import"
            onClick={() => setImporting(true)}
          >
            Use a key in this browser
          </button>
        </div>
      )}
      <p className="text-ink-2">
        Or leave the key with a signer you have, an extension of this browser or a remote one:
      </p>
      <SignerWays home={props.url} />
    </Section>
  );
}

function BringAgent({ url }: { readonly url: string }) {
  return (
    <Section title="Bring an agent">
      <p className="text-ink-2">Where your key is, make an invite. It is a secret, good for one agent:</p>
      <Command
        text={`heliograph invite --relay ${url} --name build-box > agent.invite`}
        label="Copy the command that makes an invite"
        testId="invite-command"
      />
      <OtherKeyFile />
      <p className="text-ink-2">Take the file to the agent’s machine and run there:</p>
      <Command
        text="heliograph agent --invite @agent.invite -- claude-agent-acp"
        label="Copy the command that runs the agent"
        testId="agent-command"
      />
    </Section>
  );
}

/** Commands that find no key make one: an owner this relay does not know. */
function OtherKeyFile() {
  return (
    <p className="text-s text-ink-2">
      Is your key in a file of its own? Add <code className="font-mono">--owner-key FILE</code>: without it the key at
      the usual place is used, and made where there is none.
    </p>
  );
}

function pageUrl(url: string): string {
  return `${url.replace(/^ws/, 'http')}/`;
}
