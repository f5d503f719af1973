import type { CarriedTranscript, QuestionItem, SeqRange } from '@heliograph/transcript';
import { useCallback, useMemo, useRef, useState } from 'react';
import type { AgentRecord } from '../../store/desktop-store.ts';
import { selectKnownPaths } from '../../store/known-paths.ts';
import { answerableQuestions, runningTurn } from '../../store/live.ts';
import { findRowOfLine, selectRows } from '../../store/rows.ts';
import { type SessionRef, sessionKey } from '../../store/session-ref.ts';
import { useActions } from '../actions/actions.ts';
import { RawRail, type RawRailHandle } from '../rail/RawRail.tsx';
import { ElicitationCard } from '../transcript/ElicitationCard.tsx';
import { ShowLinesContext } from '../transcript/lines-context.ts';
import { createSeenPermissions, SeenPermissionsContext } from '../transcript/seen-permissions.ts';
import { TranscriptList, type TranscriptListHandle } from '../transcript/TranscriptList.tsx';
import { useDesktop, useTranscript } from '../use-desktop.ts';
import { CancelTurn } from './CancelTurn.tsx';
import { Composer, focusComposer } from './Composer.tsx';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import { EmptySession } from './EmptySession.tsx';
import { OutgoingPrompts } from './OutgoingPrompts.tsx';
import { PermissionBar } from './PermissionBar.tsx';
import { SessionHeader } from './SessionHeader.tsx';
import { whyBlocked } from './why-blocked.ts';

/** Widths at which lines stand beside the transcript; below, they cover it. */
const WIDE = '(min-width: 70rem)';

const whole = (transcript: CarriedTranscript) => transcript;

/** One conversation: what is said and done, what waits, what to do next, and the lines all of it came from. */
export function SessionView(props: {
  readonly agent: AgentRecord;
  readonly session: SessionRef;
  readonly onBack: () => void;
}) {
  const { agent, session } = props;
  const { presence } = agent;
  const desktop = useDesktop();
  const transcript = useTranscript(session, whole);
  const rows = selectRows(transcript);
  const running = runningTurn(presence, transcript);
  const pending = answerableQuestions(presence, transcript);
  const early = answerableQuestions(presence, useTranscript({ agent: agent.publicKey, channelId: null }, whole));
  const [isRailOpen, setRailOpen] = useState(() => matchMedia(WIDE).matches);
  const list = useRef<TranscriptListHandle>(null);
  const rail = useRef<RawRailHandle>(null);
  const [seen] = useState(createSeenPermissions);

  const showLines = useCallback((refs: readonly SeqRange[]) => {
    setRailOpen(true);
    // The rail may only come into being with this click.
    requestAnimationFrame(() => rail.current?.show(refs));
  }, []);
  const showItem = (stream: string, seq: number) => {
    const at = findRowOfLine(rows, stream, seq);
    if (at < 0) return;
    if (!matchMedia(WIDE).matches) setRailOpen(false);
    list.current?.showRow(at);
  };
  const showQuestion = (item: QuestionItem) => {
    const at = rows.findIndex((row) => row.type === 'item' && row.item === item);
    if (at >= 0) list.current?.showRow(at);
  };
  const asked = useMemo(
    () => pending.map(({ request }) => ({ stream: request.stream, first: request.seq, last: request.seq })),
    [pending],
  );
  const { channelId } = session;
  const toggleRail = () => setRailOpen(!isRailOpen);
  useActions([
    { id: 'prompt', label: 'Write a prompt', group: 'Session', key: '/', run: focusComposer },
    { id: 'lines', label: 'Show or hide the lines', group: 'Session', key: 'l', run: toggleRail },
    { id: 'start', label: 'To the start', group: 'Session', key: 'g', run: () => list.current?.toStart() },
    { id: 'end', label: 'To the newest', group: 'Session', key: 'G', run: () => list.current?.toEnd() },
    { id: 'resync', label: 'Ask how things are', group: 'Agent', run: () => desktop.resync(agent.publicKey) },
  ]);
  return (
    <ShowLinesContext value={showLines}>
      <SeenPermissionsContext value={seen}>
        <main
          className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface"
          data-testid="session"
          data-live={presence?.harness === 'live'}
        >
          <SessionHeader
            agent={agent}
            session={session}
            isRailOpen={isRailOpen}
            isRunning={running !== undefined}
            onToggleRail={toggleRail}
            onBack={props.onBack}
          />
          <ConnectionBanner agent={agent} />
          {rows.length === 0 ? (
            early.length === 0 ? (
              <EmptySession agent={agent} />
            ) : (
              <div className="flex-1" />
            )
          ) : (
            <TranscriptList
              rows={rows}
              agent={agent.publicKey}
              channelId={channelId}
              cwd={transcript.session.cwd}
              isLive={presence?.harness === 'live'}
              runningTurnId={running?.id}
              handle={list}
            />
          )}
          <footer className="border-t border-line px-6 pt-2.5 pb-3.5 max-md:px-3.5 max-md:pb-[max(0.75rem,env(safe-area-inset-bottom))]">
            <div className="mx-auto max-w-[47.5rem]">
              {early.length > 0 && (
                <div className="stack mb-2 max-h-[60vh] gap-2 overflow-y-auto" data-testid="early-questions">
                  {early.map(
                    (item) =>
                      item.kind === 'elicitation' && (
                        <ElicitationCard key={item.id} item={item} agent={agent.publicKey} channelId={null} />
                      ),
                  )}
                </div>
              )}
              <PermissionBar
                agentName={agent.name}
                pending={pending}
                cwd={transcript.session.cwd}
                onShow={showQuestion}
              />
              <OutgoingPrompts session={session} />
              <Composer
                agent={agent.publicKey}
                agentName={agent.name}
                channelId={channelId}
                draftKey={sessionKey(session)}
                blocked={whyBlocked(agent, transcript)}
                running={running}
                isWaiting={pending.length > 0}
                promptable={{
                  cwd: transcript.session.cwd,
                  accepts: agent.snapshot?.agent.accepts,
                  commands: transcript.session.commands,
                  paths: () => selectKnownPaths(transcript),
                }}
              >
                {running !== undefined && channelId !== null && (
                  <CancelTurn key={running.id} agent={agent.publicKey} channelId={channelId} turn={running} />
                )}
              </Composer>
            </div>
          </footer>
        </main>
        {isRailOpen && (
          <div className="rail">
            <RawRail
              agent={agent}
              session={session}
              asked={asked}
              handle={rail}
              onShowItem={showItem}
              onClose={() => setRailOpen(false)}
            />
          </div>
        )}
      </SeenPermissionsContext>
    </ShowLinesContext>
  );
}
