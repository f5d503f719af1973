import type { Abilities, Refusal } from './abilities.ts';
import { type AgentProfile, agentNames, agents } from './agents.ts';

const able = (ability: true | string) => (ability === true ? 'yes' : `no: ${ability}`);
const refusal = ({ stopReason, modelIsTold, tool }: Refusal) =>
  `\`${stopReason}\`; ${modelIsTold ? 'the model is told and has the last word' : 'the model is not told'}; the call is ${tool}`;
const kinds = (offered: readonly string[]) => offered.map((kind) => `\`${kind}\``).join(', ');

const rows: readonly (readonly [what: string, of: (abilities: Abilities) => string])[] = [
  ['thoughts word for word', ({ thinks }) => able(thinks)],
  ['plans', ({ plans }) => able(plans)],
  ["a command's output in its frames", ({ shellOutput }) => shellOutput],
  ["a command's last update", ({ shellEnd }) => shellEnd],
  ['options for an edit', ({ offers }) => kinds(offers.edit)],
  ['options for a command', ({ offers }) => kinds(offers.shell)],
  ['allowed for always', ({ always }) => (always === 'edit' ? 'edits' : 'commands')],
  ['a turn whose edit is rejected', ({ rejected }) => refusal(rejected)],
  ['… whose permission ran out of time', ({ unanswered }) => refusal(unanswered)],
  ['a call cancelled while its permission waits', ({ cancelled }) => cancelled.waiting],
  ['… while its command runs', ({ cancelled }) => cancelled.running],
  ['cancelled in silence, hangs up on the model', ({ hangsUp }) => able(hangsUp)],
  ['model', ({ model }) => `to \`${model.to}\``],
  ['mode', ({ mode }) => (typeof mode === 'string' ? `no: ${mode}` : `to \`${mode.to}\``)],
  [
    'effort',
    ({ effort }) => (typeof effort === 'string' ? `no: ${effort}` : `\`${effort.configId}\` to \`${effort.to}\``),
  ],
  ['an open turn when its owner restarts the agent', ({ restarted }) => restarted],
  ['opens a session again by', ({ reopens }) => `\`session/${reopens}\``],
  ['… more than once', ({ reopensAgain }) => able(reopensAgain)],
];

/** The agents and what they can as Markdown, for docs/AGENTS.md. */
export function abilitiesTable(): string {
  const profiles: readonly AgentProfile[] = agentNames.map((name) => agents[name]);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return [
    line(['', ...agentNames.map((name) => `**${name}**`)]),
    line(['---', ...agentNames.map(() => '---')]),
    line(['package', ...profiles.map((profile) => `${profile.package} ${profile.version}`)]),
    ...rows.map(([what, of]) => line([what, ...profiles.map(({ abilities }) => of(abilities))])),
  ].join('');
}
