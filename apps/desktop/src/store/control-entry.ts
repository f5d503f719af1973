import type { ControlDraft, ControlProgress } from '@heliograph/client';

/** A control this page sent, with what became of it so far. */
export interface ControlEntry {
  /** Counter of this page; the requestId is the worker's to give. */
  readonly id: number;
  readonly requestId: string | undefined;
  readonly agent: string;
  readonly draft: ControlDraft;
  readonly startedAtMs: number;
  readonly phase: ControlProgress['phase'];
  readonly status: string | undefined;
  readonly reason: string | undefined;
}

/** The newest control that `matches`. */
export function selectControlOf(
  controls: readonly ControlEntry[],
  matches: (entry: ControlEntry) => boolean,
): ControlEntry | undefined {
  return controls.findLast(matches);
}

/** How the answer to a question of the agent's is going; undefined when none was given here. */
export function selectDecision(
  controls: readonly ControlEntry[],
  agent: string,
  nonce: string | undefined,
): ControlEntry | undefined {
  if (nonce === undefined) return undefined;
  return selectControlOf(
    controls,
    ({ draft, agent: of }) =>
      of === agent &&
      (draft.type === 'permission_decision' || draft.type === 'elicitation_answer') &&
      draft.requestNonce === nonce,
  );
}

/** How a turn's cancellation is going. */
export function selectCancel(controls: readonly ControlEntry[], turnId: string | undefined): ControlEntry | undefined {
  if (turnId === undefined) return undefined;
  return selectControlOf(controls, ({ draft }) => draft.type === 'cancel_turn' && draft.turnId === turnId);
}

/** Prompts of a session that the harness has not taken yet, or refused. */
export function selectUnsentPrompts(
  controls: readonly ControlEntry[],
  agent: string,
  channelId: string | null,
): readonly ControlEntry[] {
  return controls.filter(
    (entry) =>
      entry.agent === agent &&
      entry.draft.type === 'prompt' &&
      entry.draft.channelId === channelId &&
      entry.phase !== 'done',
  );
}

/** One of a control's steps as a sentence fragment: `sending`, `sent, waiting for the harness`, `received`, … */
export function describeProgress(entry: ControlEntry): string {
  switch (entry.phase) {
    case 'sending':
      return entry.reason === undefined ? 'sending' : `not delivered yet: ${entry.reason}`;
    case 'sent':
      return entry.reason === undefined ? 'sent, waiting for the harness' : `sent: ${entry.reason}`;
    case 'received':
      return 'received by the harness';
    case 'done':
      return entry.status ?? 'done';
    case 'failed':
      return REFUSALS.get(entry.status ?? '') ?? entry.reason ?? entry.status ?? 'failed';
  }
}

/** What the harness says no with, as people say it. */
const REFUSALS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    already_decided: 'already answered, here or elsewhere',
    unknown: 'the harness does not know this request: it was answered, or its turn is over',
    invalid_option: 'the agent does not offer this option',
    no_active_turn: 'there was no turn to cancel',
    expired: 'too old: the harness takes orders of the last 24 hours',
    wrong_run: 'the harness was restarted since',
    uncertain: 'the harness stopped while doing it: it may or may not have happened',
  }),
);
