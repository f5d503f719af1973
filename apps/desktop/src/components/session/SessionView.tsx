import type { CarriedTranscript, QuestionItem, SeqRange } from '@heliograph/transcript';
import { useCallback, useMemo, useRef, useState } from 'react';
import type { AgentRecord } from '../../store/desktop-store.ts';
import { answerableQuestions, runningTurn } from '../../store/live.ts';
import { findRowOfItem, findRowOfLine, type Row, selectRows } from '../../store/rows.ts';
import type { SessionRef } from '../../store/session-ref.ts';
import { useActions } from '../actions/actions.ts';
import { FindBar } from '../find/FindBar.tsx';
import { useFindItems } from '../find/use-find.ts';
import { useFindKey } from '../find/use-find-key.ts';
import { RawRail, type RawRailHandle } from '../rail/RawRail.tsx';
import { PastBand } from '../replay/PastBand.tsx';
import { PastContext } from '../replay/past-context.ts';
import { Scrubber } from '../replay/Scrubber.tsx';
import { useReplay } from '../replay/use-replay.ts';
import { ShowLinesContext } from '../transcript/lines-context.ts';
import { createSeenPermissions, SeenPermissionsContext } from '../transcript/seen-permissions.ts';
import { TranscriptList, type TranscriptListHandle } from '../transcript/TranscriptList.tsx';
import { useDesktop, useTranscript } from '../use-desktop.ts';
import { focusComposer } from './Composer.tsx';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import { EmptySession } from './EmptySession.tsx';
import { SessionFooter } from './SessionFooter.tsx';
import { SessionHeader } from './SessionHeader.tsx';
import { useReveal } from './use-reveal.ts';

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
  const replay = useReplay(session, ({ line }) => {
    if (line !== undefined) rail.current?.show([{ stream: line.stream, first: line.seq, last: line.seq }]);
    requestAnimationFrame(() => list.current?.toEnd());
  });
  const { past } = replay;
  const rows = selectRows(past?.transcript ?? transcript);
  const running = runningTurn(presence, transcript, agent.snapshot);
  const pending = answerableQuestions(presence, transcript);
  const early = answerableQuestions(presence, useTranscript({ agent: agent.publicKey, channelId: null }, whole));
  const [isRailOpen, setRailOpen] = useState(() => matchMedia(WIDE).matches);
  const list = useRef<TranscriptListHandle>(null);
  const rail = useRef<RawRailHandle>(null);
  const [seen] = useState(createSeenPermissions);
  useReveal(session, rows, list);

  /** The rail may only come into being with what asks for it. */
  const withRail = useCallback((act: (rail: RawRailHandle) => void) => {
    setRailOpen(true);
    requestAnimationFrame(() => rail.current !== null && act(rail.current));
  }, []);
  const showLines = useCallback((refs: readonly SeqRange[]) => withRail((opened) => opened.show(refs)), [withRail]);
  const showRow = (at: number) => {
    if (at < 0) return;
    if (!matchMedia(WIDE).matches) setRailOpen(false);
    list.current?.showRow(at);
  };
  /** Shows what may not have been there yet in the past that is shown: then in the present. */
  const showIn = (find: (rows: readonly Row[]) => number) => {
    const at = find(rows);
    if (at >= 0 || past === undefined) return showRow(at);
    replay.goLive();
    // The present is a list of its own, which must be there first.
    requestAnimationFrame(() => requestAnimationFrame(() => showRow(find(selectRows(transcript)))));
  };
  const find = useFindItems(session, {
    nearest(hits) {
      const from = list.current?.firstShown() ?? 0;
      const at = hits.findIndex(({ turnId, itemId }) => findRowOfItem(rows, turnId, itemId) >= from);
      return Math.max(0, at);
    },
    show: ({ turnId, itemId }) => showIn((all) => findRowOfItem(all, turnId, itemId)),
  });
  const showQuestion = (item: QuestionItem) => {
    // A question is answered in the present, wherever the reader is.
    if (past !== undefined) replay.goLive();
    const at = selectRows(transcript).findIndex((row) => row.type === 'item' && row.item === item);
    requestAnimationFrame(() => requestAnimationFrame(() => showRow(at)));
  };
  const openFind = () => find.setNeedle(find.needle ?? '');
  useFindKey(openFind);
  const asked = useMemo(
    () => pending.map(({ request }) => ({ stream: request.stream, first: request.seq, last: request.seq })),
    [pending],
  );
  const toggleReplay = () => (replay.isOpen ? replay.close() : replay.open());
  const toggleRail = () => setRailOpen(!isRailOpen);
  useActions([
    { id: 'prompt', label: 'Write a prompt', group: 'Session', key: 'i', run: focusComposer },
    { id: 'find', label: 'Search in the session', group: 'Session', key: '/', run: openFind },
    { id: 'lines', label: 'Show or hide the lines', group: 'Session', key: 'l', run: toggleRail },
    {
      id: 'find-lines',
      label: 'Search in the lines',
      group: 'Session',
      key: '\\',
      run: () => withRail((opened) => opened.find()),
    },
    { id: 'replay', label: 'Go through the past', group: 'Session', key: 't', run: toggleReplay },
    ...(replay.isOpen
      ? ([
          { id: 'line-back', label: 'One line back', group: 'Session', key: '[', run: () => replay.step(-1) },
          { id: 'line-on', label: 'One line on', group: 'Session', key: ']', run: () => replay.step(1) },
          { id: 'play', label: 'Play or pause', group: 'Session', key: 'p', run: replay.togglePlay },
        ] as const)
      : []),
    { id: 'start', label: 'To the start', group: 'Session', key: 'g', run: () => list.current?.toStart() },
    { id: 'end', label: 'To the newest', group: 'Session', key: 'G', run: () => list.current?.toEnd() },
    { id: 'resync', label: 'Ask how things are', group: 'Agent', run: () => desktop.resync(agent.publicKey) },
  ]);
  const { needle = '', hit } = find;
  const found = useMemo(
    () => (hit === undefined || needle === '' ? undefined : { needle, itemId: hit.itemId }),
    [needle, hit],
  );
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
            isFinding={find.needle !== undefined}
            isReplaying={replay.isOpen}
            onToggleRail={toggleRail}
            onFind={() => find.setNeedle(find.needle === undefined ? '' : undefined)}
            onReplay={toggleReplay}
            onBack={props.onBack}
          />
          {find.needle !== undefined && (
            <FindBar
              label="Search in this session"
              placeholder="Words, commands, output"
              testId="find"
              needle={find.needle}
              count={find.found.count}
              reachable={find.found.hits.length}
              at={find.at}
              isDone={find.found.isDone}
              onNeedle={find.setNeedle}
              onStep={find.step}
              onClose={() => find.setNeedle(undefined)}
            />
          )}
          <ConnectionBanner agent={agent} />
          {past !== undefined && (
            <PastBand
              past={past}
              length={replay.length}
              now={pending.length > 0 ? 'waiting' : running === undefined ? 'quiet' : 'running'}
              onLive={replay.goLive}
            />
          )}
          {rows.length === 0 ? (
            past !== undefined ? (
              <div className="past flex-1" />
            ) : early.length === 0 ? (
              <EmptySession agent={agent} />
            ) : (
              <div className="flex-1" />
            )
          ) : (
            <PastContext value={past !== undefined}>
              <TranscriptList
                key={past === undefined ? 'now' : 'past'}
                rows={rows}
                agent={agent.publicKey}
                channelId={session.channelId}
                cwd={transcript.session.cwd}
                isLive={past === undefined && presence?.harness === 'live'}
                runningTurnId={past === undefined ? running?.id : undefined}
                handle={list}
                needle={needle}
                found={found}
                foundRow={hit === undefined ? -1 : findRowOfItem(rows, hit.turnId, hit.itemId)}
              />
            </PastContext>
          )}
          <SessionFooter
            agent={agent}
            session={session}
            transcript={transcript}
            running={running}
            pending={pending}
            early={early}
            onShowQuestion={showQuestion}
            onSent={() => list.current?.toEnd()}
          >
            {replay.isOpen && <Scrubber replay={replay} />}
          </SessionFooter>
        </main>
        {isRailOpen && (
          <div className="rail">
            <RawRail
              agent={agent}
              session={session}
              asked={asked}
              handle={rail}
              onShowItem={(stream, seq) => showIn((all) => findRowOfLine(all, stream, seq))}
              onShowThen={(stream, seq) => replay.seek({ stream, seq })}
              onClose={() => setRailOpen(false)}
            />
          </div>
        )}
      </SeenPermissionsContext>
    </ShowLinesContext>
  );
}
