import { ChevronLeft, History, Rows3, Search } from 'lucide-react';
import type { AgentRecord } from '../../store/desktop-store.ts';
import type { SessionRef } from '../../store/session-ref.ts';
import { policyWords, type SessionSettings, settingsOf, snapshotChannel } from '../../store/session-settings.ts';
import { selectFirstPrompt, sessionTitle } from '../../store/session-title.ts';
import { toPlainLine } from '../../text/visible-text.ts';
import { PathText } from '../content/PathText.tsx';
import { VisibleText } from '../content/VisibleText.tsx';
import { Lights } from '../fleet/Lights.tsx';
import { NARROW, useMedia } from '../parts/use-media.ts';
import { useTranscript } from '../use-desktop.ts';
import { SessionMenu } from './SessionMenu.tsx';
import { SettingPicker } from './SettingPicker.tsx';
import { UsageMeter } from './UsageMeter.tsx';

/** What this conversation is: title, who and where, model and mode as the agent last confirmed them, what it used. */
export function SessionHeader(props: {
  readonly agent: AgentRecord;
  readonly session: SessionRef;
  readonly isRailOpen: boolean;
  readonly isRunning: boolean;
  readonly isFinding: boolean;
  readonly isReplaying: boolean;
  readonly onToggleRail: () => void;
  readonly onFind: () => void;
  readonly onReplay: () => void;
  readonly onBack: () => void;
}) {
  const { agent } = props;
  const session = useTranscript(props.session, (transcript) => transcript.session);
  const firstPrompt = useTranscript(props.session, selectFirstPrompt);
  const { channelId } = props.session;
  const policy = policyWords(agent, channelId);
  const settings = settingsOf(session, snapshotChannel(agent, channelId));
  const isNarrow = useMedia(NARROW);
  // A phone's second row has room for what decides who does what; the rest is in the menu.
  const shown = isNarrow && policy !== undefined ? [settings.mode] : [settings.model, settings.mode];
  const path = session.cwd === undefined ? undefined : <PathText path={session.cwd} />;
  const meter = <UsageMeter usage={session.usage} turns={agent.usage.channel(channelId)} />;
  return (
    <header className="border-b border-line px-6 pt-3 pb-2.5 max-md:px-3.5 max-md:pt-1.5" data-testid="session-header">
      <div className="flex items-center gap-2">
        <button
          type="button"
          className="tab -ml-3 md:hidden"
          aria-label="All sessions"
          data-testid="back"
          onClick={props.onBack}
        >
          <ChevronLeft size={18} strokeWidth={1.7} />
        </button>
        <h1 className="min-w-0 flex-1 truncate text-h font-semibold tracking-[-0.01em]" data-testid="session-title">
          <VisibleText text={sessionTitle(session, firstPrompt)} max={200} />
        </h1>
        <button
          type="button"
          className="tab"
          aria-pressed={props.isFinding}
          data-testid="toggle-find"
          onClick={props.onFind}
        >
          <Search size={14} strokeWidth={1.6} aria-hidden="true" />
          <span className="max-md:sr-only">Search</span>
        </button>
        <button
          type="button"
          className="tab"
          aria-pressed={props.isReplaying}
          data-testid="toggle-replay"
          onClick={props.onReplay}
        >
          <History size={14} strokeWidth={1.6} aria-hidden="true" />
          <span className="max-md:sr-only">Replay</span>
        </button>
        <button
          type="button"
          className="tab"
          aria-pressed={props.isRailOpen}
          data-testid="toggle-lines"
          onClick={props.onToggleRail}
        >
          <Rows3 size={14} strokeWidth={1.6} aria-hidden="true" />
          <span className="max-md:sr-only">Lines</span>
        </button>
        {channelId !== null && (
          <SessionMenu
            key={channelId}
            agent={agent}
            channelId={channelId}
            settings={isNarrow && policy !== undefined ? withModel(settings) : settings}
            facts={
              isNarrow && (
                <>
                  {path}
                  {meter}
                </>
              )
            }
            isBlocked={agent.presence?.harness !== 'live'}
            isRunning={props.isRunning}
          />
        )}
      </div>
      <div className="flex items-center gap-x-3.5 gap-y-0.5 text-s text-ink-2 max-md:gap-x-2 md:flex-wrap">
        <div className="-mx-3 -my-3">
          <Lights agent={agent} />
        </div>
        <div className="flex min-w-0 flex-1 gap-x-3.5 md:basis-56">
          <span
            className="min-w-0 truncate md:flex-none"
            title={
              session.agentName === undefined ? undefined : `It calls itself ${toPlainLine(session.agentName, 80)}`
            }
          >
            <VisibleText text={agent.name} max={80} />
            {agent.presence?.host !== undefined && (
              <>
                {' on '}
                <b>
                  <VisibleText text={agent.presence.host} max={80} />
                </b>
              </>
            )}
          </span>
          {!isNarrow && path}
        </div>
        {policy !== undefined && (
          <span className="font-medium whitespace-nowrap text-sun-ink" data-testid="policy-told">
            {policy}
          </span>
        )}
        {channelId !== null &&
          shown.map(
            (setting) =>
              setting !== undefined && (
                <SettingPicker
                  key={setting.key}
                  setting={setting}
                  agent={agent.publicKey}
                  channelId={channelId}
                  isBlocked={agent.presence?.harness !== 'live'}
                  look="heading"
                />
              ),
          )}
        {!isNarrow && meter}
      </div>
    </header>
  );
}

/** Settings of which the model is one among the others. */
function withModel(settings: SessionSettings): SessionSettings {
  const { model, others } = settings;
  return model === undefined ? settings : { ...settings, model: undefined, others: [model, ...others] };
}
