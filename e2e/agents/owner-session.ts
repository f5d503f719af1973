import type { ControlDraft } from '@heliograph/client';
import type { PermissionItem, Turn } from '@heliograph/transcript';
import { type ControlResult, type ObserverEvent, payloadOf, type TurnStarted } from '@heliograph/wire';
import { promptFor, type ScriptName } from './script.ts';
import { spoken } from './turn-words.ts';
import type { Watcher } from './watcher.ts';

type WithoutChannel<Draft> = Draft extends { readonly channelId: string } ? Omit<Draft, 'channelId'> : never;
type ChannelControl = WithoutChannel<ControlDraft>;

/** What an owner does with one agent's channel, through the viewer alone. */
export class OwnerSession {
  readonly #watcher: Watcher;
  readonly #channelId: string;

  constructor(watcher: Watcher, channelId: string) {
    this.#watcher = watcher;
    this.#channelId = channelId;
  }

  /** Sends a control of this channel and resolves with its last result. */
  control(draft: ChannelControl): Promise<ControlResult> {
    return this.#watcher.control({ ...draft, channelId: this.#channelId } as ControlDraft);
  }

  /** Sends the prompt that makes the model play `name`; the result says whether it began or waits. */
  send(name: ScriptName): Promise<ControlResult> {
    const content = [{ type: 'text', text: promptFor(name) }];
    return this.control({ type: 'prompt', content });
  }

  /** Sends that prompt and resolves with the id of the turn it started. */
  async prompt(name: ScriptName): Promise<string> {
    // The first prompt may be queued while the agent starts: its turn then begins later.
    const { requestId } = await this.send(name);
    return this.#watcher.until(`turn of ${name}`, () => {
      const isMine = (e: ObserverEvent) => payloadOf<TurnStarted>(e)?.promptRequestId === requestId;
      return this.events('turn_started').find(isMine)?.turnId ?? undefined;
    });
  }

  /** Prompts, allows once whatever the agent asks (after `look`), and resolves with the turn once it has ended. */
  async play(name: ScriptName, look: () => void = () => {}): Promise<Turn> {
    const turnId = await this.prompt(name);
    for (;;) {
      const next = await this.pendingOrEnded(turnId);
      if (!isPermission(next)) return next;
      look();
      await this.decide(next, 'allow_once');
      await this.#watcher.until('decision on screen', () => this.#isDecided(turnId, next) || undefined);
    }
  }

  turn(turnId: string): Turn | undefined {
    return this.turns().find((turn) => turn.id === turnId);
  }

  turns(): readonly Turn[] {
    return this.#watcher.fold.transcript(this.#channelId).turns;
  }

  /** What the session is set to, as the viewer shows it. */
  session() {
    return this.#watcher.fold.transcript(this.#channelId).session;
  }

  /** Everything of one kind that came, oldest stream first. */
  events(kind: string): ObserverEvent[] {
    const { log } = this.#watcher.fold;
    return log.streams().flatMap((stream) => [...log.range(stream)].filter((event) => event.kind === kind));
  }

  /** Resolves with what a turn asks, as soon as it can be answered. */
  async asked(turnId: string): Promise<PermissionItem> {
    const next = await this.pendingOrEnded(turnId);
    if (!isPermission(next)) throw new Error(`the turn ended as ${next.outcome} and asked nothing`);
    return next;
  }

  /** Resolves with a turn once the harness has told its end: a viewer may have known before, of the agent's. */
  ended(turnId: string): Promise<Turn> {
    return this.#watcher.until('end of the turn', () => {
      const turn = this.turn(turnId);
      if (turn?.status !== 'ended') return undefined;
      return this.events('turn_completed').some((event) => event.turnId === turnId) ? turn : undefined;
    });
  }

  pendingOrEnded(turnId: string): Promise<Turn | PermissionItem> {
    return this.#watcher.until('permission or end of the turn', (): Turn | PermissionItem | undefined => {
      const turn = this.turn(turnId);
      if (turn?.status === 'ended') return turn;
      return turn?.items.find(
        (item): item is PermissionItem =>
          item.kind === 'permission' && item.state === 'pending' && item.options.length > 0,
      );
    });
  }

  /** Resolves once the agent has said `words` in that turn. */
  async hasSaid(turnId: string, words: string): Promise<void> {
    await this.#watcher.until(`"${words}"`, () => spoken(this.turn(turnId), 'agent').includes(words) || undefined);
  }

  cancel(turnId?: string): Promise<ControlResult> {
    return this.control({ type: 'cancel_turn', ...(turnId === undefined ? {} : { turnId }) });
  }

  /** Answers with the first option of that kind. */
  decide(permission: PermissionItem, kind: string, more: { confirm?: true } = {}): Promise<ControlResult> {
    const option = permission.options.find((offered) => offered.kind === kind);
    if (!option || !permission.nonce || !permission.requestSha256)
      throw new Error(`a permission that can not be answered ${kind}: ${JSON.stringify(permission)}`);
    return this.control({
      type: 'permission_decision',
      requestNonce: permission.nonce,
      requestSha256: permission.requestSha256,
      optionId: option.optionId,
      ...more,
    });
  }

  unqueue(promptRequestId: string): Promise<ControlResult> {
    return this.control({ type: 'unqueue', promptRequestId });
  }

  #isDecided(turnId: string, { id }: PermissionItem): boolean {
    const item = this.turn(turnId)?.items.find((other) => other.id === id);
    return item?.kind === 'permission' && item.state === 'decided';
  }
}

const isPermission = (value: Turn | PermissionItem): value is PermissionItem => 'kind' in value;
