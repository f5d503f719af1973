import type { CarriedTranscript, QuestionItem, Turn } from '@heliograph/transcript';
import type { ReactNode } from 'react';
import type { AgentRecord } from '../../store/desktop-store.ts';
import { selectKnownPaths } from '../../store/known-paths.ts';
import { type SessionRef, sessionKey } from '../../store/session-ref.ts';
import { ElicitationCard } from '../transcript/ElicitationCard.tsx';
import { CancelTurn } from './CancelTurn.tsx';
import { Composer } from './Composer.tsx';
import { OutgoingPrompts } from './OutgoingPrompts.tsx';
import { PermissionBar } from './PermissionBar.tsx';
import { whyBlocked } from './why-blocked.ts';

/** Everything that acts on the session as it is now, whatever is read above: what waits, what is on its way, what to say next. */
export function SessionFooter(props: {
  readonly agent: AgentRecord;
  readonly session: SessionRef;
  /** As it is now. */
  readonly transcript: CarriedTranscript;
  readonly running: Turn | undefined;
  readonly pending: readonly QuestionItem[];
  /** What the agent asks before its session is open. */
  readonly early: readonly QuestionItem[];
  readonly onShowQuestion: (item: QuestionItem) => void;
  readonly onSent: () => void;
  readonly isReplaying: boolean;
  readonly children?: ReactNode;
}) {
  const { agent, session, transcript, running, pending, early } = props;
  const { channelId } = session;
  return (
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
          onShow={props.onShowQuestion}
        />
        <OutgoingPrompts session={session} />
        <Composer
          agent={agent.publicKey}
          agentName={agent.name}
          channelId={channelId}
          draftKey={sessionKey(session)}
          blocked={whyBlocked(agent, transcript)}
          running={running}
          waitsSince={pending[0]?.at}
          onSent={props.onSent}
          isSlim={props.isReplaying}
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
        {props.children}
      </div>
    </footer>
  );
}
