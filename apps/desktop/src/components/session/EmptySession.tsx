import type { AgentRecord } from '../../store/desktop-store.ts';
import { toPlainLine } from '../../text/visible-text.ts';

/** A session nothing was said in, or of which nothing has come yet. */
export function EmptySession({ agent }: { readonly agent: AgentRecord }) {
  const name = toPlainLine(agent.name, 64);
  const [title, words] =
    agent.presence?.harness === 'live'
      ? [`${name} is ready`, 'Tell it what to do. Everything it says, does and asks appears here as it happens.']
      : agent.presence?.harness === 'silent'
        ? [
            'Nothing of this session is here',
            'Relays keep nothing. When the harness answers again it sends what it still has.',
          ]
        : [
            `Asking ${name} what happened so far`,
            'Its harness answers with the state of things, then with the lines you lack.',
          ];
  return (
    <div className="grid min-h-0 flex-1 place-items-center p-6 text-center" data-testid="empty-session">
      <div className="max-w-sm">
        <p className="mb-1.5 text-h font-semibold">{title}</p>
        <p className="text-l text-ink-2">{words}</p>
      </div>
    </div>
  );
}
