import type { ToolStatus } from '@heliograph/transcript';

// What each pinned agent does and can't do, as data: the suite asserts every member, docs/AGENTS.md shows them.

/** How a turn goes on when what it asked was not granted. */
export interface Refusal {
  /** `end_turn`: the turn ends as if it were complete. */
  readonly stopReason: 'end_turn' | 'cancelled';
  /** Whether the model is told, and has the last word. */
  readonly modelIsTold: boolean;
  /** What the transcript shows of the tool call that was not granted. */
  readonly tool: ToolStatus;
}

export type OptionKind = 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always';

/** A sentence is the reason why the agent can't. */
export interface Abilities {
  /** Shows the model's thoughts word for word. */
  readonly thinks: true | string;
  /** Keeps a plan, in ACP `plan` updates or as a todo list of its own (opencode: in the input of a tool call). */
  readonly plans: true | string;
  /** Which part of a shell command's output its ACP frames show. `tail`: what is printed in the first moments may be missing. */
  readonly shellOutput: 'all' | 'tail' | 'none';
  /** Whether a command's last update always comes. `sometimes`: the turn may end without it, and then its output may lack too. */
  readonly shellEnd: 'always' | 'sometimes';
  /** Kinds of the options it offers for an edit and for a command, in its order. */
  readonly offers: { readonly edit: readonly OptionKind[]; readonly shell: readonly OptionKind[] };
  /** After `reject_once`. */
  readonly rejected: Refusal;
  /** After an answer of `cancelled` that no session/cancel goes with: nobody answered in time. */
  readonly unanswered: Refusal;
  /** What it lets the owner allow for always. */
  readonly always: 'edit' | 'shell';
  /** What a tool call shows when its turn is cancelled: while its permission waits, and while its command runs. */
  readonly cancelled: { readonly waiting: ToolStatus; readonly running: ToolStatus };
  /** Closes its connection to a model that has not said a word when the turn is cancelled. */
  readonly hangsUp: true | string;
  /** A model it can be switched to, and the name the model's server then hears. */
  readonly model: { readonly to: string; readonly heard: string };
  /** A mode it can be switched to. */
  readonly mode: { readonly to: string } | string;
  /** An option of category thought_level and a value for it. */
  readonly effort: { readonly configId: string; readonly to: string } | string;
  /** What an open turn is when its owner restarts the agent. `cancelled`: asked to go, it answers its prompt first. */
  readonly restarted: 'killed' | 'cancelled';
  /** How it opens a session again. */
  readonly reopens: 'resume' | 'load';
  /** Whether that has to wait until the clock minute in which the session was made is over. */
  readonly reopensNextMinute: boolean;
  /** Whether it does so for a session that was opened again before. */
  readonly reopensAgain: true | string;
}

const codexRefusal: Refusal = { stopReason: 'cancelled', modelIsTold: false, tool: 'cancelled' };

export const abilities = {
  gemini: {
    thinks: 'puts an empty heading before each piece of a thought and trims it',
    plans: 'offers no todo tool to this model',
    shellOutput: 'none',
    shellEnd: 'always',
    offers: {
      edit: ['allow_always', 'allow_once', 'reject_once'],
      shell: ['allow_always', 'allow_once', 'reject_once'],
    },
    rejected: { stopReason: 'end_turn', modelIsTold: true, tool: 'unfinished' },
    unanswered: { stopReason: 'end_turn', modelIsTold: true, tool: 'unfinished' },
    always: 'edit',
    cancelled: { waiting: 'cancelled', running: 'completed' },
    hangsUp: true,
    model: { to: 'gemini-2.5-pro', heard: 'gemini-2.5-pro' },
    mode: { to: 'autoEdit' },
    effort: 'has no options beside mode and model',
    restarted: 'killed',
    reopens: 'load',
    reopensNextMinute: true,
    reopensAgain: 'destroys a session that is loaded a second time',
  },
  zcodex: {
    thinks: 'begins a thought with two line breaks',
    plans: true,
    shellOutput: 'tail',
    shellEnd: 'sometimes',
    offers: { edit: ['allow_once', 'reject_once'], shell: ['allow_once', 'allow_always', 'reject_once'] },
    rejected: codexRefusal,
    unanswered: codexRefusal,
    always: 'shell',
    cancelled: { waiting: 'cancelled', running: 'cancelled' },
    hangsUp: 'holds the line until the model speaks',
    model: { to: 'gpt-5.4', heard: 'gpt-5.4' },
    mode: 'offers no modes with an approval policy of its own',
    effort: { configId: 'reasoning_effort', to: 'high' },
    restarted: 'killed',
    reopens: 'resume',
    reopensNextMinute: false,
    reopensAgain: true,
  },
  codex: {
    thinks: 'begins a thought with two line breaks',
    plans: true,
    shellOutput: 'tail',
    shellEnd: 'always',
    offers: {
      edit: ['allow_once', 'allow_always', 'reject_once'],
      shell: ['allow_once', 'allow_always', 'reject_once'],
    },
    rejected: codexRefusal,
    unanswered: codexRefusal,
    always: 'edit',
    cancelled: { waiting: 'cancelled', running: 'cancelled' },
    hangsUp: true,
    model: { to: 'gpt-5.6-luna', heard: 'gpt-5.6-luna' },
    mode: { to: 'agent' },
    effort: { configId: 'reasoning_effort', to: 'high' },
    restarted: 'killed',
    reopens: 'resume',
    reopensNextMinute: false,
    reopensAgain: true,
  },
  claude: {
    thinks: true,
    plans: 'offers no todo tool with this configuration',
    shellOutput: 'all',
    shellEnd: 'always',
    offers: { edit: ['allow_once', 'allow_always', 'reject_once'], shell: ['allow_once', 'reject_once'] },
    rejected: { stopReason: 'end_turn', modelIsTold: true, tool: 'failed' },
    unanswered: { stopReason: 'end_turn', modelIsTold: true, tool: 'failed' },
    always: 'edit',
    cancelled: { waiting: 'failed', running: 'failed' },
    hangsUp: true,
    model: { to: 'haiku', heard: 'claude-haiku' },
    mode: { to: 'plan' },
    effort: { configId: 'effort', to: 'high' },
    restarted: 'cancelled',
    reopens: 'resume',
    reopensNextMinute: false,
    reopensAgain: true,
  },
  opencode: {
    thinks: true,
    plans: true,
    shellOutput: 'all',
    shellEnd: 'always',
    offers: {
      edit: ['allow_once', 'allow_always', 'reject_once'],
      shell: ['allow_once', 'allow_always', 'reject_once'],
    },
    rejected: { stopReason: 'end_turn', modelIsTold: false, tool: 'failed' },
    unanswered: { stopReason: 'end_turn', modelIsTold: false, tool: 'failed' },
    always: 'edit',
    cancelled: { waiting: 'failed', running: 'completed' },
    hangsUp: true,
    model: { to: 'scripted/other', heard: 'other' },
    mode: { to: 'plan' },
    effort: { configId: 'effort', to: 'high' },
    restarted: 'killed',
    reopens: 'resume',
    reopensNextMinute: false,
    reopensAgain: true,
  },
} satisfies Record<string, Abilities>;
