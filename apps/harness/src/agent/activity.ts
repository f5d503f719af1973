import type { Channel } from './channels.ts';
import { updateConfig } from './session-config.ts';
import { readActiveRun } from './steering.ts';
import type { ReadLine } from './tap.ts';

const MAX_TITLE_LENGTH = 200;

/** Notes on a channel what one of its lines tells: that it lives, its title, its settings, the run it is in. */
export function noteActivity(channel: Channel, { emitted, message }: ReadLine): void {
  channel.lastActivity = emitted.timestamp;
  if (message.type !== 'notification' || message.method !== 'session/update') return;
  const { update } = (message.params ?? {}) as { update?: { sessionUpdate?: unknown; title?: unknown } | null };
  channel.config = updateConfig(channel.config, update);
  if (update?.sessionUpdate !== 'session_info_update') return;
  const run = readActiveRun(update);
  if (run !== undefined) channel.activeRunId = run ?? undefined;
  if (typeof update.title === 'string') channel.title = update.title.slice(0, MAX_TITLE_LENGTH);
  else if (update.title === null) channel.title = null;
}
