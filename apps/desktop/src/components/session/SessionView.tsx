import type { Transcript } from '@heliograph/transcript';
import { useMemo, useState } from 'react';
import type { AgentRecord } from '../../store/desktop-store.ts';
import { answerableQuestions, runningTurn } from '../../store/live.ts';
import { selectRows } from '../../store/rows.ts';
import type { SessionRef } from '../../store/session-ref.ts';
import { FindBar } from '../find/FindBar.tsx';
import { useFindKey } from '../find/use-find-key.ts';
import { useSteady } from '../parts/use-steady.ts';
import { RawRail } from '../rail/RawRail.tsx';
import { PastBand } from '../replay/PastBand.tsx';
import { Scrubber } from '../replay/Scrubber.tsx';
import { useReplay } from '../replay/use-replay.ts';
import { ShowLinesContext } from '../transcript/lines-context.ts';
import { createSeenPermissions, SeenPermissionsContext } from '../transcript/seen-permissions.ts';
import { useTranscript } from '../use-desktop.ts';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import { Conversation } from './Conversation.tsx';
import { SessionFooter } from './SessionFooter.tsx';
import { SessionHeader } from './SessionHeader.tsx';
import { usePanes } from './use-panes.ts';
import { usePlaces } from './use-places.ts';
import { useReveal } from './use-reveal.ts';
import { useSessionActions } from './use-session-actions.ts';
import { useShown } from './use-shown.ts';

const whole = (transcript: Transcript) => transcript;

/** One conversation: what is said and done, what waits, what to do next, and the lines all of it came from. */
export function SessionView(props: {
  readonly agent: AgentRecord;
  readonly session: SessionRef;
  readonly onBack: () => void;
}) {
  const { agent, session } = props;
  const { presence } = agent;
  const transcript = useTranscript(session, whole);
  const panes = usePanes();
  const { list, rail, isRailOpen, setRailOpen } = panes;
  const replay = useReplay(session, (shown) => {
    if (shown === undefined) return rail.current?.toEnd();
    const { line } = shown;
    if (line !== undefined) rail.current?.show([{ stream: line.stream, first: line.seq, last: line.seq }]);
    requestAnimationFrame(() => list.current?.toEnd());
  });
  const backToNow = () => {
    replay.goLive();
    rail.current?.toEnd();
  };
  const { past } = replay;
  const rows = selectRows(past?.transcript ?? transcript);
  const running = runningTurn(presence, transcript, agent.snapshot);
  const pending = answerableQuestions(presence, transcript);
  const early = answerableQuestions(presence, useTranscript({ agent: agent.publicKey, channelId: null }, whole));
  const [seen] = useState(createSeenPermissions);
  const shown = useShown(session);
  const { find, showItem, showLine, showQuestion, showStart } = usePlaces({ session, rows, replay, panes, shown });
  useReveal(session, showItem);
  useFindKey(find.open);
  const asked = useMemo(
    () => pending.map(({ request }) => ({ stream: request.stream, first: request.seq, last: request.seq })),
    [pending],
  );
  const toggleReplay = () => {
    if (!replay.isOpen) return replay.open();
    replay.close();
    rail.current?.toEnd();
  };
  const toggleRail = () => setRailOpen(!isRailOpen);
  const onCloseRail = useSteady(() => setRailOpen(false));
  const onShowItem = useSteady(showLine);
  const onShowThen = useSteady((stream: string, seq: number) => replay.seek({ stream, seq }));
  useSessionActions({
    agent: agent.publicKey,
    panes,
    replay,
    showStart,
    openFind: find.open,
    toggleReplay,
    toggleRail,
  });
  return (
    <ShowLinesContext value={panes.showLines}>
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
            isFinding={find.needle !== undefined}
            isReplaying={replay.isOpen}
            onToggleRail={toggleRail}
            onFind={find.toggle}
            onReplay={toggleReplay}
            onBack={props.onBack}
          />
          <FindBar find={find} label="Search in this session" placeholder="Words, commands, output" testId="find" />
          <ConnectionBanner agent={agent} />
          {past !== undefined && (
            <PastBand
              past={past}
              now={pending.length > 0 ? 'waiting' : running === undefined ? 'quiet' : 'running'}
              onLive={backToNow}
            />
          )}
          <Conversation
            agent={agent}
            session={session}
            rows={rows}
            cwd={transcript.session.cwd}
            isPast={past !== undefined}
            running={running}
            find={find}
            isAskedEarly={early.length > 0}
            handle={list}
            shown={shown}
            onMorePast={replay.more}
          />
          <SessionFooter
            agent={agent}
            session={session}
            transcript={transcript}
            running={running}
            pending={pending}
            early={early}
            onShowQuestion={showQuestion}
            onSent={() => list.current?.toEnd()}
            isReplaying={replay.isOpen}
          >
            {replay.isOpen && <Scrubber replay={replay} onLive={backToNow} />}
          </SessionFooter>
        </main>
        {isRailOpen && (
          <div className="rail">
            <RawRail
              run={presence?.run}
              session={session}
              asked={asked}
              handle={rail}
              onShowItem={onShowItem}
              onShowThen={onShowThen}
              onClose={onCloseRail}
            />
          </div>
        )}
      </SeenPermissionsContext>
    </ShowLinesContext>
  );
}
