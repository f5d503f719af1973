import type { PermissionItem, Turn } from '@heliograph/transcript';
import { type ControlResult, type ObserverEvent, payloadOf, type TurnStarted } from '@heliograph/wire';
import { promptFor, type ScriptName } from './script.ts';
import type { Watcher } from './watcher.ts';

/** What an owner does with one agent's channel, through the viewer alone. */
export class OwnerSession {
  readonly #watcher: Watcher;
  readonly #channelId: string;

  constructor(watcher: Watcher, channelId: string) {
    this.#watcher = watcher;
    this.#channelId = channelId;
  }

  /** Sends the prompt that makes the model play `name`, and resolves with the id of the turn it started. */
  async prompt(name: ScriptName): Promise<string> {
    const content = [{ type: 'text', text: promptFor(name) }];
    const { requestId } = await this.#watcher.control({ type: 'prompt', channelId: this.#channelId, content });
    // The first prompt may be queued while the agent starts: its turn then begins later.
    const { log } = this.#watcher.fold;
    return this.#watcher.until(`turn of ${name}`, () => {
      const events = log.streams().flatMap((stream) => [...log.range(stream)]);
      const isMine = (e: ObserverEvent) => payloadOf<TurnStarted>(e)?.promptRequestId === requestId;
      return events.find((e) => e.kind === 'turn_started' && isMine(e))?.turnId ?? undefined;
    });
  }

  /** Prompts, allows once whatever the agent asks (after `look`), and resolves with the turn once it has ended. */
  async play(name: ScriptName, look: () => void = () => {}): Promise<Turn> {
    const turnId = await this.prompt(name);
    for (;;) {
      const next = await this.#watcher.until(`permission or end of ${name}`, (): Turn | PermissionItem | undefined => {
        const turn = this.turn(turnId);
        if (turn?.status === 'ended') return turn;
        return turn?.items.find(
          (item): item is PermissionItem =>
            item.kind === 'permission' && item.state === 'pending' && item.options.length > 0,
        );
      });
      if (!isPermission(next)) return next;
      look();
      await this.#allow(next);
      await this.#watcher.until('decision on screen', () => this.#isDecided(turnId, next) || undefined);
    }
  }

  turn(turnId: string): Turn | undefined {
    return this.#watcher.fold.transcript(this.#channelId).turns.find((turn) => turn.id === turnId);
  }

  cancel(turnId: string): Promise<ControlResult> {
    return this.#watcher.control({ type: 'cancel_turn', channelId: this.#channelId, turnId });
  }

  async #allow(permission: PermissionItem): Promise<void> {
    const option = permission.options.find(({ kind }) => kind === 'allow_once');
    if (!option || !permission.nonce || !permission.requestSha256)
      throw new Error(`a permission that can not be answered: ${JSON.stringify(permission)}`);
    await this.#watcher.control({
      type: 'permission_decision',
      channelId: this.#channelId,
      requestNonce: permission.nonce,
      requestSha256: permission.requestSha256,
      optionId: option.optionId,
    });
  }

  #isDecided(turnId: string, { id }: PermissionItem): boolean {
    const item = this.turn(turnId)?.items.find((other) => other.id === id);
    return item?.kind === 'permission' && item.state === 'decided';
  }
}

const isPermission = (value: Turn | PermissionItem): value is PermissionItem => 'kind' in value;
