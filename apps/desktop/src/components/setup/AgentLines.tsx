import { encodeNpub } from '@heliograph/wire/nostr';
import { useState } from 'react';
import type { AgentRecord } from '../../store/desktop-store.ts';
import { VisibleText } from '../content/VisibleText.tsx';
import { useDesktop } from '../use-desktop.ts';

/** The agents that are known, trusted or not: what they are called, and whether anything of them is taken. */
export function AgentLines({ agents }: { readonly agents: readonly AgentRecord[] }) {
  return (
    <section>
      <h3 className="mb-1.5 font-medium">Agents</h3>
      {agents.length === 0 ? (
        <p className="text-ink-2">None yet.</p>
      ) : (
        <p className="mb-2 text-s text-ink-3">
          A name is the same on all your devices: your relays keep it, encrypted to you.
        </p>
      )}
      <ul className="stack gap-2">
        {agents.map((agent) => (
          <AgentLine key={agent.publicKey} agent={agent} />
        ))}
      </ul>
    </section>
  );
}

function AgentLine({ agent }: { readonly agent: AgentRecord }) {
  const desktop = useDesktop();
  const [problem, setProblem] = useState<string>();
  const [step, setStep] = useState<'revoke' | 'rename'>();
  const [name, setName] = useState(agent.given);
  const change = async (what: { readonly name?: string; readonly revoked?: boolean }) => {
    const result = await desktop.changeAgent({ publicKey: agent.publicKey, ...what });
    setProblem(result.ok ? undefined : result.error.message);
    if (result.ok) setStep(undefined);
  };
  // The host may know the agent by its key alone: the name it is shown under must outlive its sessions.
  const revocation = { name: agent.given, revoked: true };
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
            data-testid="new-name"
            onChange={(event) => setName(event.target.value)}
          />
          <button type="submit" className="btn go" disabled={name.trim() === ''} data-testid="rename-go">
            Rename
          </button>
        </form>
      ) : (
        <div className="flex flex-wrap items-center gap-x-3">
          <span className={`min-w-0 flex-1 truncate ${agent.revoked ? 'text-ink-3' : ''}`}>
            <VisibleText text={agent.given} max={80} />{' '}
            <span className="font-mono text-s text-ink-3">{agent.publicKey.slice(0, 8)}</span>
          </span>
          {agent.revoked && <span className="text-s text-ink-3">revoked</span>}
          <button type="button" className="link text-ink-2" data-testid="rename" onClick={() => setStep('rename')}>
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
            On this device its sessions vanish and nothing of it is taken from then on. Your other devices go on showing
            it. The relay goes on admitting it until{' '}
            <code className="font-mono wrap-anywhere">heliograph relay deny {encodeNpub(agent.publicKey)}</code> is run
            where the relay is, which stops it for every device, or its attestation ends.
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
