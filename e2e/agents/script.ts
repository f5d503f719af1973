// What the scripted model says. A prompt names its script with a marker (`script:edit`); the model's n-th turn after that
// prompt plays the script's n-th turn. The suite compares an agent's transcript with these very texts.

/** One tool the model asks for: JSON arguments, or free text for tools that take such. */
export type ToolUse = { readonly name: string; readonly input: Readonly<Record<string, unknown>> | string };

/** One thing the model does inside a turn; `pieces` are streamed one by one, `gapMs` apart. */
export type Action =
  | { readonly type: 'say' | 'think'; readonly pieces: readonly string[]; readonly gapMs?: number }
  | { readonly type: 'use'; readonly tool: ToolUse };

/** What the model does before it waits for the agent; nothing at all: it is asked and stays silent. */
export type Turn = readonly Action[];

/** How an agent's own tools spell the few things the scripts do. */
export interface Tools {
  read(path: string): ToolUse;
  edit(path: string, before: string, after: string): ToolUse;
  shell(command: string): ToolUse;
  plan?(steps: readonly (readonly [step: string, status: PlanStatus])[]): ToolUse;
}
export type PlanStatus = 'pending' | 'in_progress' | 'completed';

export interface Stage {
  readonly cwd: string;
  readonly tools: Tools;
}

/** The file that the edit script changes: its text before and after. */
export const GREETING = {
  file: 'greeting.txt',
  before: 'hello world\nsecond line\n',
  after: 'hello heliograph\nsecond line\n',
};

/** Prints these lines slowly enough that an agent has something to stream. */
export const SHELL_LINES = ['beat 1', 'beat 2', 'beat 3'];
const SHELL_COMMAND = 'for i in 1 2 3; do echo "beat $i"; sleep 0.3; done';

/** A command that would run for minutes leaves its process id in this file. */
export const LONG_COMMAND_FILE = 'command.pid';

/** Pieces that break careless readers: two-, three- and four-byte characters, a joined emoji, U+2028, quotes, controls. */
const AWKWARD = [
  'café ',
  '世界 ',
  '🚀 ',
  '👩‍🚀 ',
  'line\u2028separator ',
  'tab\there ',
  'new\nline ',
  '"quoted\\" ',
  '\u001b[1mbold\u001b[0m ',
];

/** Pieces of the burst. */
export const BURST = 20_000;

const say = (text: string): Action => ({ type: 'say', pieces: text.split(/(?<= )/) });

/** The scripts by name; each gives its model turns. */
export const scripts = {
  text: () => [
    [
      {
        type: 'say',
        pieces: [...'Light carries far when the mirror is clean. '.split(/(?<= )/), ...AWKWARD, 'End.'],
        gapMs: 5,
      },
    ],
  ],
  think: () => [
    [
      { type: 'think', pieces: 'First I weigh the options, then I choose one. '.split(/(?<= )/), gapMs: 5 },
      say('I chose the second one.'),
    ],
  ],
  plan: ({ tools: { plan } }) => {
    if (!plan) return [[say('I keep no plan.')]];
    const steps = ['Read the code', 'Write the fix', 'Run the tests'];
    const turn = (...statuses: PlanStatus[]): Turn => [
      { type: 'use', tool: plan(steps.map((step, i) => [step, statuses[i] ?? 'pending'])) },
    ];
    return [
      [say('Planning first. '), ...turn('in_progress', 'pending', 'pending')],
      turn('completed', 'in_progress', 'pending'),
      turn('completed', 'completed', 'completed'),
      [say('The plan is done.')],
    ];
  },
  edit: ({ cwd, tools }) => [
    [say('I read the file first. '), { type: 'use', tool: tools.read(`${cwd}/${GREETING.file}`) }],
    [
      say('Now I change it. '),
      { type: 'use', tool: tools.edit(`${cwd}/${GREETING.file}`, 'hello world', 'hello heliograph') },
    ],
    [say('That was the edit.')],
  ],
  shell: ({ tools }) => [
    [say('I run a command. '), { type: 'use', tool: tools.shell(SHELL_COMMAND) }],
    [say('The command ended.')],
  ],
  /** The edit taken back: a second edit of the same file. */
  restore: ({ cwd, tools }) => [
    [{ type: 'use', tool: tools.read(`${cwd}/${GREETING.file}`) }],
    [{ type: 'use', tool: tools.edit(`${cwd}/${GREETING.file}`, 'hello heliograph', 'hello world') }],
    [say('It is as it was.')],
  ],
  long: ({ cwd, tools }) => [
    [{ type: 'use', tool: tools.shell(`echo $$ > ${cwd}/${LONG_COMMAND_FILE}; sleep 300; echo woke`) }],
    [say('The long command ended.')],
  ],
  silent: () => [[]],
  /** Never played: the model's server refuses it as one that is overloaded. */
  outage: () => [],
  /** As fast as the agent takes them. */
  burst: () => [[{ type: 'say', pieces: Array.from({ length: BURST }, (_, i) => `${i} `) }]],
  endless: () => [[{ type: 'say', pieces: Array.from({ length: 6000 }, (_, i) => `word ${i} `), gapMs: 20 }]],
} satisfies Record<string, (stage: Stage) => readonly Turn[]>;

export type ScriptName = keyof typeof scripts;

/** The prompt that makes the scripted model play `name`. */
export const promptFor = (name: ScriptName): string => `script:${name} please`;

/** All text of one type that a script makes the model produce, joined. */
export const scriptText = (name: ScriptName, type: 'say' | 'think', stage: Stage): string =>
  (scripts[name] as (stage: Stage) => readonly Turn[])(stage)
    .flat()
    .map((action) => (action.type === type ? action.pieces.join('') : ''))
    .join('');
