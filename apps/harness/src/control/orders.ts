import type { Control } from '@heliograph/wire';
import type { Conversation, Reply } from '../agent/conversation.ts';
import type { PermissionPolicies } from '../agent/permission-policies.ts';
import { closeSession, openSession } from '../agent/session-orders.ts';
import type { Sessions } from '../agent/sessions.ts';
import type { Attestation } from '../attestation.ts';
import type { PushDesk } from '../push/push-desk.ts';
import type { AdmittedControl } from './control-intake.ts';
import type { LateViewers } from './late-viewers.ts';

export interface OrdersPort {
  readonly sessions: Sessions;
  readonly policies: PermissionPolicies;
  readonly attestation: Attestation;
  readonly lateViewers: LateViewers;
  readonly push: PushDesk;
  /** Where a session works that names no folder. */
  readonly cwd: string;
  /** The attestation was renewed: relays are to see the new one. */
  renewed(): void;
}

type ForChannel = Extract<Control, { readonly channelId: string }>;

/** Who carries out which control. */
export class Orders {
  readonly #port: OrdersPort;

  constructor(port: OrdersPort) {
    this.#port = port;
  }

  carryOut(admitted: AdmittedControl): void {
    const { control, reply } = admitted;
    const { sessions, lateViewers, cwd } = this.#port;
    switch (control.type) {
      case 'hello':
        lateViewers.hello(control, reply);
        break;
      case 'replay':
        void lateViewers.replay(control, reply);
        break;
      case 'permission_decision':
      case 'elicitation_answer':
        sessions.requests.decide(control, reply);
        break;
      case 'cancel_turn':
      case 'prompt':
      case 'unqueue':
      case 'replace_queued':
      case 'switch_model':
      case 'set_mode':
      case 'set_config_option':
        this.#tellConversation(control, admitted);
        break;
      case 'new_session':
      case 'load_session':
        void openSession(sessions, control, cwd, reply);
        break;
      case 'close_session':
        closeSession(sessions, control, reply);
        break;
      case 'restart_agent':
        sessions.restart(reply);
        break;
      case 'set_auth':
        void this.#port.attestation.renew(control.tag).then((renewed) => {
          if (renewed.ok) this.#port.renewed();
          reply(renewed.ok ? { status: 'applied' } : { status: 'failure', reason: renewed.error.message });
        });
        break;
      case 'set_policy':
        this.#setPolicy(control, reply);
        break;
      case 'push_subscribe':
        void this.#port.push.subscribe(control, reply);
        break;
      case 'push_test':
        void this.#port.push.test(control, reply);
        break;
      default:
        control satisfies never;
    }
  }

  #tellConversation(control: ForChannel, { key, eventId, saidMs, reply }: AdmittedControl): void {
    const conversation = this.#port.sessions.conversation(control.channelId);
    if (conversation === undefined) {
      reply({
        status: REFUSED[control.type] ?? 'failure',
        reason: `channel ${control.channelId} takes no orders here`,
      });
      return;
    }
    switch (control.type) {
      case 'cancel_turn':
        conversation.cancel(control, key, saidMs, reply);
        break;
      case 'prompt':
        if (conversation.channel.isClosed)
          reply({ status: 'rejected', reason: 'this channel is closed: open a session in it first' });
        else conversation.prompt(control, key, eventId, reply);
        break;
      case 'unqueue':
        conversation.unqueue(control, reply);
        break;
      case 'replace_queued':
        conversation.replaceQueued(control, reply);
        break;
      default:
        configure(conversation, control, reply);
    }
  }

  #setPolicy(control: Extract<Control, { readonly type: 'set_policy' }>, reply: Reply): void {
    const { channelId } = control;
    if (channelId !== undefined && this.#port.sessions.channels.get(channelId) === undefined) {
      reply({ status: 'failure', reason: `there is no channel ${channelId} in this run` });
      return;
    }
    this.#port.policies.set(control).then(
      () => reply({ status: 'applied' }),
      (cause: unknown) =>
        reply({
          status: 'failure',
          reason: `it holds until the harness is restarted, but could not be kept: ${cause instanceof Error ? cause.message : 'unknown'}`,
        }),
    );
  }
}

/** What an order to a channel that takes none is answered with. */
const REFUSED: Readonly<Record<string, string>> = {
  cancel_turn: 'no_active_turn',
  prompt: 'rejected',
  unqueue: 'unknown',
  replace_queued: 'unknown',
};

function configure(conversation: Conversation, control: ForChannel, reply: Reply): void {
  switch (control.type) {
    case 'switch_model':
      conversation.configure({ type: 'model', value: control.modelId }, reply);
      break;
    case 'set_mode':
      conversation.configure({ type: 'mode', value: control.modeId }, reply);
      break;
    case 'set_config_option':
      conversation.configure({ type: 'option', configId: control.configId, value: control.value }, reply);
      break;
  }
}
