import { useState } from 'react';
import type { Session } from '../../worker/protocol.ts';
import { useDesktop } from '../use-desktop.ts';

type KeptBy = Extract<Session, { phase: 'ready' }>['keptBy'];

/** Locks a key that this browser keeps, or ends the connection to a signer. A host's key is locked by closing the page. */
export function LeaveKey({ keptBy }: { readonly keptBy: KeptBy }) {
  const desktop = useDesktop();
  const [isLeaving, setLeaving] = useState(false);
  if (keptBy === 'host') return null;
  if (keptBy === 'device') {
    return (
      <button type="button" className="btn mt-2 max-md:w-full" data-testid="lock" onClick={() => location.reload()}>
        Lock it now
      </button>
    );
  }
  return isLeaving ? (
    <p className="mt-2 flex flex-wrap items-center gap-2 text-s text-ink-2">
      Agents go on; this browser forgets their names and the signer.
      <button type="button" className="btn bad" data-testid="leave-confirm" onClick={() => desktop.forgetKey()}>
        Leave the signer
      </button>
      <button type="button" className="btn" onClick={() => setLeaving(false)}>
        Back
      </button>
    </p>
  ) : (
    <button
      type="button"
      className="btn mt-2 max-md:w-full"
      data-testid="leave-signer-settings"
      onClick={() => setLeaving(true)}
    >
      Leave the signer
    </button>
  );
}
