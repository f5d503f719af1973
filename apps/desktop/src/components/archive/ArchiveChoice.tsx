import { useEffect, useState } from 'react';
import type { ArchiveAsk, ArchiveState } from '../../archive-ask.ts';
import { formatBytes, formatNumber, plural } from '../../text/human.ts';
import { VisibleText } from '../content/VisibleText.tsx';
import { useDesktop, useDesktopState } from '../use-desktop.ts';

/** Whether this machine keeps what agents send, and what of it lies where. */
export function ArchiveChoice() {
  const desktop = useDesktop();
  const isHost = useDesktopState(({ session }) => session.phase === 'ready' && session.keptBy === 'host');
  const agents = useDesktopState((desk) => desk.agents);
  const [state, setState] = useState<ArchiveState>();
  const [problem, setProblem] = useState<string>();
  /** What was asked for and is not answered yet. */
  const [wanted, setWanted] = useState<Extract<ArchiveAsk, { ask: 'switch' | 'keep' }>>();
  useEffect(() => {
    if (!isHost) return;
    let isHere = true;
    void desktop.askArchive({ ask: 'state' }).then((result) => {
      if (!isHere) return;
      if (result.ok) setState(result.value);
      else setProblem(result.error.message);
    });
    return () => {
      isHere = false;
    };
  }, [desktop, isHost]);
  const decide = async (ask: Extract<ArchiveAsk, { ask: 'switch' | 'keep' }>) => {
    setWanted(ask);
    const result = await desktop.askArchive(ask);
    setWanted(undefined);
    if (result.ok) setState(result.value);
    setProblem(result.ok ? undefined : result.error.message);
  };
  return (
    <fieldset className="stack gap-1.5" data-testid="archive-choice">
      <legend className="mb-1.5 font-medium">Archive</legend>
      {!isHost && (
        <p className="text-s text-ink-2">
          This page shows what the agents’ machines still hold. A lasting record is kept where{' '}
          <code className="font-mono">heliograph desktop</code> runs, and is switched on and searched there.
        </p>
      )}
      {state !== undefined && (
        <>
          <label className="check">
            <input
              type="checkbox"
              checked={wanted?.ask === 'switch' ? wanted.isOn : state.isOn}
              disabled={wanted !== undefined}
              data-testid="archive-switch"
              onChange={(event) => void decide({ ask: 'switch', isOn: event.target.checked })}
            />
            Keep on this machine what agents send and what I tell them
          </label>
          {state.isOn && agents.length > 0 && (
            <ul className="stack gap-1 pl-6" aria-label="Of which agents">
              {agents.map(({ publicKey, name }) => {
                const asked = wanted?.ask === 'keep' && wanted.agent === publicKey ? wanted.isKept : undefined;
                return (
                  <li key={publicKey}>
                    <label className="check">
                      <input
                        type="checkbox"
                        checked={asked ?? isKeptOf(state, publicKey)}
                        disabled={wanted !== undefined}
                        data-testid="archive-agent"
                        onChange={({ target }) =>
                          void decide({ ask: 'keep', agent: publicKey, isKept: target.checked })
                        }
                      />
                      <span className="min-w-0 break-words">
                        <VisibleText text={name === '' ? publicKey.slice(0, 8) : name} max={80} />
                      </span>
                    </label>
                  </li>
                );
              })}
            </ul>
          )}
          <p className="text-s text-ink-2" data-testid="archive-words">
            {wordsOf(state)}
          </p>
          <p className="text-s break-words text-ink-3">
            {state.records > 0
              ? `${heldWords(state)}, in `
              : state.isOn
                ? 'Nothing has come yet. It lies in '
                : 'It would lie in '}
            <span className="font-mono wrap-anywhere">
              <VisibleText text={state.file} max={400} />
            </span>
            .
          </p>
        </>
      )}
      {(problem ?? state?.trouble) !== undefined && (
        <p className="text-s text-bad" role="alert">
          {problem ?? state?.trouble}
        </p>
      )}
    </fieldset>
  );
}

function isKeptOf({ agents, except }: ArchiveState, agent: string): boolean {
  return (agents === undefined || agents.includes(agent)) && !except.includes(agent);
}

function wordsOf(state: ArchiveState): string {
  if (!state.isOn) {
    return state.records === 0
      ? 'Nothing is kept. Agents’ machines hold the newest of each session, and let go of the oldest.'
      : 'Nothing more is kept. What lies there stays until you remove the file.';
  }
  const { agents, except } = state;
  const whom = agents === undefined ? 'all agents' : plural(agents.length, 'agent');
  const but = except.length === 0 ? '' : `, but not of ${except.length}`;
  const how = state.atRest === 'sealed' ? 'as ciphertext only' : 'as readable text, known secrets replaced';
  const who = {
    here: 'This desktop keeps it while it runs.',
    another: 'Another process on this machine keeps it.',
    nobody: 'Nobody keeps it now.',
  }[state.keeper];
  return `Signed frames of ${whom}${but} are kept, ${how}${endWords(state)}. ${who}`;
}

function endWords({ maxAgeMs, maxBytes }: ArchiveState): string {
  const bounds = [
    maxAgeMs === undefined ? undefined : `${Math.round(maxAgeMs / 86_400_000)} days`,
    maxBytes === undefined ? undefined : formatBytes(maxBytes),
  ].filter((bound) => bound !== undefined);
  return bounds.length === 0 ? ', without end' : `, up to ${bounds.join(' or ')}`;
}

function heldWords({ bytes, records, sessions, oldestAt, newestAt }: ArchiveState): string {
  const day = (at: string) => at.slice(0, 10);
  const since = oldestAt === undefined || newestAt === undefined ? '' : ` from ${day(oldestAt)} to ${day(newestAt)}`;
  return `${plural(sessions, 'session')}, ${formatNumber(records)} frames${since}, ${formatBytes(bytes)}`;
}
