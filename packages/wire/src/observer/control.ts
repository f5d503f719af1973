import type { ContentBlock, ElicitationAction } from '../acp/acp.ts';
import type { AuthTag } from '../nostr/nip-oa.ts';
import type { PermissionPolicy, PermissionRule } from './permission-rule.ts';
import type { PushQuiet, PushReason, PushSubscription } from './push.ts';

/** Members of every control. `requestId`, `issuedAt` and `run` are absent in Buzz's three controls, `run` in `hello`. */
export interface ControlBase {
  readonly requestId?: string;
  /** RFC 3339, unchanged in repeats. */
  readonly issuedAt?: string;
  /** The harness run it is meant for. */
  readonly run?: string;
  /** The device it comes from, in the owner's words; recorded with what it decides. */
  readonly viewer?: string;
}

export interface CancelTurn extends ControlBase {
  readonly type: 'cancel_turn';
  readonly channelId: string;
  readonly turnId?: string;
  readonly force?: boolean;
}

export interface Prompt extends ControlBase {
  readonly type: 'prompt';
  readonly channelId: string;
  readonly content: readonly ContentBlock[];
  readonly mode?: 'queue' | 'steer' | 'interrupt';
}

/** Takes back a prompt that waits. */
export interface Unqueue extends ControlBase {
  readonly type: 'unqueue';
  readonly channelId: string;
  /** The prompt's requestId. */
  readonly promptRequestId: string;
}

/** Gives a prompt that waits other content; it keeps its place. */
export interface ReplaceQueued extends ControlBase {
  readonly type: 'replace_queued';
  readonly channelId: string;
  readonly promptRequestId: string;
  readonly content: readonly ContentBlock[];
}

/** Sets the session's model; answered `switched` once the agent has confirmed it. */
export interface SwitchModel extends ControlBase {
  readonly type: 'switch_model';
  readonly channelId: string;
  readonly modelId: string;
}

/** Sets the session's mode. */
export interface SetMode extends ControlBase {
  readonly type: 'set_mode';
  readonly channelId: string;
  readonly modeId: string;
}

/** Sets one of the options the agent offers. */
export interface SetConfigOption extends ControlBase {
  readonly type: 'set_config_option';
  readonly channelId: string;
  readonly configId: string;
  readonly value: string | boolean;
}

/** Ends the agent, whatever it does, and starts it anew; also ends its rest after crashes. */
export interface RestartAgent extends ControlBase {
  readonly type: 'restart_agent';
}

/** Begins a session, in a channel that is there (in the place of its session) or in a new one of this id. */
export interface NewSession extends ControlBase {
  readonly type: 'new_session';
  /** A UUID. */
  readonly channelId: string;
  /** Absolute; else the folder the harness was started in. */
  readonly cwd?: string;
}

/** Opens a session the agent knows from before, in a channel that is there or in a new one of this id. */
export interface LoadSession extends ControlBase {
  readonly type: 'load_session';
  /** A UUID. */
  readonly channelId: string;
  readonly sessionId: string;
  /** Absolute; else the folder the harness was started in. */
  readonly cwd?: string;
}

/** Ends a channel's session, where the agent can, and takes no more prompts for it. */
export interface CloseSession extends ControlBase {
  readonly type: 'close_session';
  readonly channelId: string;
}

/** A newer attestation of the agent's key, by the owner: the harness shows it to relays from now on. */
export interface SetAuth extends ControlBase {
  readonly type: 'set_auth';
  readonly tag: AuthTag;
}

/** What becomes of permission requests from now on: these rules first (none where absent), then the policy (absent: the one there is). */
export interface SetPolicy extends ControlBase {
  readonly type: 'set_policy';
  /** Of this channel only; else of every channel without a policy of its own. */
  readonly channelId?: string;
  /** `inherit`, with a channel and without rules: what the channel had of its own is taken back. */
  readonly policy?: PermissionPolicy | 'inherit';
  readonly rules?: readonly PermissionRule[];
  /** Also after the harness was restarted; else until then. */
  readonly persist?: boolean;
}

/**
 * Where and for what a device is called by Web Push while no page is open; null ends that. The device is `device`, else the
 * `viewer` it is said from; what was said of it before holds no more.
 */
export interface PushSubscribe extends ControlBase {
  readonly type: 'push_subscribe';
  readonly subscription: PushSubscription | null;
  readonly device?: string;
  /** Absent: all. */
  readonly reasons?: readonly PushReason[];
  readonly quiet?: PushQuiet;
}

/** Calls a subscribed device (`device`, else the `viewer`) once, and says what its push service answered. */
export interface PushTest extends ControlBase {
  readonly type: 'push_test';
  readonly device?: string;
}

export interface PermissionDecisionControl extends ControlBase {
  readonly type: 'permission_decision';
  readonly channelId: string;
  readonly requestNonce: string;
  readonly requestSha256?: string;
  readonly optionId: string;
  /** Needed for an option of kind allow_always. */
  readonly confirm?: boolean;
}

/** Answers what the agent asks for with `elicitation/create`. */
export interface ElicitationAnswer extends ControlBase {
  readonly type: 'elicitation_answer';
  /** Null for what belongs to no channel: an agent may ask before a session is open. */
  readonly channelId: string | null;
  readonly requestNonce: string;
  readonly requestSha256: string;
  readonly action: ElicitationAction;
  /** What a form is filled in with; with `accept` only. */
  readonly content?: Readonly<Record<string, unknown>>;
}

export interface Hello extends ControlBase {
  readonly type: 'hello';
  readonly viewer: string;
  /** The wire the viewer speaks, and its program's version. */
  readonly wire?: number;
  readonly version?: string;
  readonly features: readonly string[];
  readonly have?: readonly { readonly stream: string; readonly seq: number }[];
}

export interface Replay extends ControlBase {
  readonly type: 'replay';
  readonly stream: string;
  readonly fromSeq: number;
  readonly toSeq?: number;
}

/** An owner's order to a harness, discriminated by `type` (SPEC 1.4). */
export type Control =
  | CancelTurn
  | Prompt
  | Unqueue
  | ReplaceQueued
  | SwitchModel
  | SetMode
  | SetConfigOption
  | NewSession
  | LoadSession
  | CloseSession
  | RestartAgent
  | SetAuth
  | SetPolicy
  | PushSubscribe
  | PushTest
  | PermissionDecisionControl
  | ElicitationAnswer
  | Hello
  | Replay;

export type ControlType = Control['type'];

/** `not-json`, `malformed` (names the member), or `unknown-type` (a control of the future, or one this harness lacks). */
export interface ControlError {
  readonly code: 'not-json' | 'malformed' | 'unknown-type';
  readonly message: string;
  /** So that even a control that is not understood can be answered. */
  readonly type?: string;
  readonly requestId?: string;
}

/** What became of a control: payload of `control_result`. Members beyond these belong to the control's type. */
export interface ControlResult {
  readonly type: string;
  readonly requestId?: string;
  readonly status: string;
  readonly reason?: string;
  /** replay: inclusive ranges the harness no longer has. */
  readonly missing?: readonly (readonly [number, number])[];
  readonly turnId?: string;
  readonly requestNonce?: string;
  readonly optionId?: string;
  /** elicitation_answer: what was answered, or which field of the form is not as it must be. */
  readonly action?: ElicitationAction;
  readonly field?: string;
  /** new_session, load_session: the session that is open now. */
  readonly sessionId?: string;
  /** switch_model, set_mode, set_config_option: what the agent confirmed. */
  readonly value?: string | boolean;
}
