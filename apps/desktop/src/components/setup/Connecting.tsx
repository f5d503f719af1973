import type { Session } from '../../worker/protocol.ts';
import { SafeLink } from '../content/SafeLink.tsx';
import { Command } from '../parts/Command.tsx';
import { QrCode } from '../parts/QrCode.tsx';
import { useDesktop, useDesktopState } from '../use-desktop.ts';
import { Panel } from './Panel.tsx';

/** A signer was asked for, and has not said yet whose key it holds. */
export function Connecting({ session }: { readonly session: Extract<Session, { phase: 'connecting' }> }) {
  const desktop = useDesktop();
  const authUrl = useDesktopState((state) => state.signer?.authUrl);
  const { kind, link, client } = session;
  return (
    <Panel title="Waiting for your signer" testId="connecting">
      <div className="stack gap-4">
        <p className="text-l text-ink-2" role="status">
          {kind === 'extension'
            ? 'It may be asking you whether this page may know your public key: look for its window.'
            : link === undefined
              ? 'It was asked to connect. It may be asking you whether it may.'
              : 'Scan this with your signer, or copy it there. The page goes on by itself.'}
        </p>
        {authUrl !== undefined && (
          <p className="text-ink-2">
            It wants you to go here first: <SafeLink href={authUrl}>its page</SafeLink>
          </p>
        )}
        {link !== undefined && (
          <>
            <div className="max-w-[17rem]">
              <QrCode text={link} label="A QR code for your signer" testId="connect-qr" />
            </div>
            <Command text={link} label="Copy it for your signer" testId="connect-link" />
          </>
        )}
        {client !== undefined && (
          <div className="stack gap-1.5 text-s text-ink-2">
            <p>On a Heliograph relay the way to the signer must be let in first, where the relay is:</p>
            <Command text={`heliograph relay allow ${client}`} label="Copy the command" testId="allow-client" />
          </div>
        )}
        <div>
          <button type="button" className="btn" data-testid="connect-back" onClick={() => desktop.forgetKey()}>
            Back
          </button>
        </div>
      </div>
    </Panel>
  );
}
