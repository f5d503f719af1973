import { encodeNpub } from '@heliograph/wire/nostr';
import { useState } from 'react';
import type { AgentRecord } from '../../store/desktop-store.ts';
import { ArchiveChoice } from '../archive/ArchiveChoice.tsx';
import { BoundedText } from '../content/BoundedText.tsx';
import { VisibleText } from '../content/VisibleText.tsx';
import { CopyButton } from '../parts/CopyButton.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { PlainHttpNote } from '../parts/PlainHttpNote.tsx';
import { useDesktop, useDesktopState } from '../use-desktop.ts';
import { InstallApp } from './InstallApp.tsx';
import { JumpBar } from './JumpBar.tsx';
import { LeaveKey } from './LeaveKey.tsx';
import { LookChoices } from './LookChoices.tsx';
import { MoveKey } from './MoveKey.tsx';
import { NotifyChoices } from './NotifyChoices.tsx';
import { PushChoices } from './PushChoices.tsx';
import { RelayList } from './RelayList.tsx';

const WHERE_KEPT = {
  host: 'The secret key is a file on the machine where heliograph desktop runs; this page’s worker holds it while it is open.',
  device: 'The secret key is kept in this browser, encrypted under your passphrase.',
  extension: 'The secret key is in this browser’s signer (NIP-07), which is asked for every message.',
  bunker:
    'The secret key is at your remote signer (NIP-46). This browser keeps a key of its own for the way there; the signer can end it.',
} as const;

/** The few things to set: how it looks, who is known, which key this is. */
export function Settings(props: { readonly onClose: () => void }) {
  const session = useDesktopState((state) => state.session);
  const agents = useDesktopState((state) => state.agents);
  if (session.phase !== 'ready') return null;
  return (
    <Dialog title="Settings" onClose={props.onClose} testId="settings-dialog">
      <JumpBar />
      <div className="stack gap-6 px-5 pt-2 pb-6">
        <LookChoices />
        <NotifyChoices />
        <PushChoices />
        <InstallApp />
        <section>
          <h3 className="mb-1.5 font-medium">Agents</h3>
          {agents.length === 0 && <p className="text-ink-2">None yet.</p>}
          <ul className="stack gap-2">
            {agents.map((agent) => (
              <AgentLine key={agent.publicKey} agent={agent} />
            ))}
          </ul>
        </section>
        <RelayList />
        <ArchiveChoice />
        <section>
          <h3 className="mb-1.5 font-medium">Your public key</h3>
          <div className="frame flex items-start">
            <div className="min-w-0 flex-1">
              <BoundedText text={session.npub} label="Public key" />
            </div>
            <CopyButton text={() => session.npub} label="Copy the public key" />
          </div>
          <p className="mt-1 text-s text-ink-3">{WHERE_KEPT[session.keptBy]}</p>
          <LeaveKey keptBy={session.keptBy} />
        </section>
        {(session.keptBy === 'host' || session.keptBy === 'device') && <MoveKey relays={session.relays} />}
        <PlainHttpNote />
      </div>
    </Dialog>
  );
}

function AgentLine({ agent }: { readonly agent: AgentRecord }) {
  const desktop = useDesktop();
  const [problem, setProblem] = useState<string>();
  const [step, setStep] = useState<'revoke' | 'rename'>();
  const [name, setName] = useState(agent.name);
  const change = async (what: { readonly name?: string; readonly revoked?: boolean }) => {
    const result = await desktop.changeAgent({ publicKey: agent.publicKey, ...what });
    setProblem(result.ok ? undefined : result.error.message);
    if (result.ok) setStep(undefined);
  };
  // The host may know the agent by its key alone: the name it is shown under must outlive its sessions.
  const revocation = { name: agent.name, revoked: true };
  return (
    <li className="stack gap-1" data-testid="settings-agent" data-agent={agent.publicKey}>
      {step === 'rename' ? (
        <form
          className="flex gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            void change({ name: name.trim() });
          }}
        >
          <input
            className="field"
            value={name}
            maxLength={64}
            aria-label="Name"
            onChange={(event) => setName(event.target.value)}
          />
          <button type="submit" className="btn go" disabled={name.trim() === ''}>
            Rename
          </button>
        </form>
      ) : (
        <div className="flex flex-wrap items-center gap-x-3">
          <span className={`min-w-0 flex-1 truncate ${agent.revoked ? 'text-ink-3' : ''}`}>
            <VisibleText text={agent.name} max={80} />{' '}
            <span className="font-mono text-s text-ink-3">{agent.publicKey.slice(0, 8)}</span>
            {agent.revoked && <span className="text-s"> · revoked</span>}
          </span>
          <button type="button" className="link text-ink-2" onClick={() => setStep('rename')}>
            Rename
          </button>
          <button
            type="button"
            className="link text-ink-2"
            data-testid="revoke"
            onClick={() => (agent.revoked ? void change({ revoked: false }) : setStep('revoke'))}
          >
            {agent.revoked ? 'Trust again' : 'Revoke'}
          </button>
        </div>
      )}
      {step === 'revoke' && (
        <p className="flex flex-wrap items-center gap-2 text-s text-ink-2">
          <span className="min-w-0 break-words">
            Its sessions vanish from this screen and nothing of it is taken from then on. The relay goes on admitting it
            until <code className="font-mono wrap-anywhere">heliograph relay deny {encodeNpub(agent.publicKey)}</code>{' '}
            is run where the relay is, or its attestation ends.
          </span>
          <button
            type="button"
            className="btn bad"
            data-testid="revoke-confirm"
            onClick={() => void change(revocation)}
          >
            Revoke it
          </button>
          <button type="button" className="btn" onClick={() => setStep(undefined)}>
            Back
          </button>
        </p>
      )}
      {problem !== undefined && (
        <p className="text-s text-bad" role="alert">
          {problem}
        </p>
      )}
    </li>
  );
}
