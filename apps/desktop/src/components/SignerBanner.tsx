import { useState } from 'react';
import type { SignerStatus } from '../worker/protocol.ts';
import { SafeLink } from './content/SafeLink.tsx';
import { VisibleText } from './content/VisibleText.tsx';
import { Banner } from './session/Banner.tsx';
import { useDesktop, useDesktopState } from './use-desktop.ts';

/** What must be known of a signer elsewhere: that it waits for its owner, said no, is away, or can't keep up. */
export function SignerBanner() {
  const signer = useDesktopState((state) => state.signer);
  const desktop = useDesktop();
  if (signer === undefined) return null;
  const isTrouble = signer.phase !== 'ready';
  if (!isTrouble && !signer.isBehind) return null;
  return (
    <Banner
      testId="signer-banner"
      {...(signer.phase === 'refused' || signer.phase === 'away' ? { tone: 'bad' as const } : {})}
      action={
        signer.phase === 'refused' || signer.phase === 'away' ? (
          <button
            type="button"
            className="link flex-none"
            data-testid="retry-signer"
            onClick={() => desktop.retrySigner()}
          >
            Ask it again
          </button>
        ) : (
          !isTrouble && <LocalKey />
        )
      }
    >
      <Words signer={signer} />
    </Banner>
  );
}

function Words({ signer }: { readonly signer: SignerStatus }) {
  const { phase, message, perSecond, authUrl } = signer;
  const said = message !== undefined && (
    <>
      {' '}
      It said: <VisibleText text={message} max={200} />
    </>
  );
  if (phase === 'waiting') {
    return (
      <>
        Your signer has not answered yet: look whether it asks you something.
        {authUrl !== undefined && (
          <>
            {' '}
            It wants you to go here: <SafeLink href={authUrl}>its page</SafeLink>
          </>
        )}
      </>
    );
  }
  if (phase === 'refused') return <>Your signer refused, and nothing is asked of it until you say so.{said}</>;
  if (phase === 'away') return <>Your signer does not answer: nothing can be opened or ordered.{said}</>;
  return (
    <>
      Your signer opens {perSecond} messages a second, and your agents send more: what you see falls behind. A key in
      this browser opens thousands.
    </>
  );
}

/** Asked twice: the page begins anew. */
function LocalKey() {
  const desktop = useDesktop();
  const [isSure, setSure] = useState(false);
  return (
    <button
      type="button"
      className="link flex-none"
      data-testid="leave-signer"
      onClick={() => (isSure ? desktop.forgetKey() : setSure(true))}
    >
      {isSure ? 'Leave the signer, bring the key' : 'Use a key here'}
    </button>
  );
}
