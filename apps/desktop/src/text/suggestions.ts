import type { Command } from '@heliograph/transcript';

/** A completion of what is being typed: `from`–`to` of the text becomes `insert`. */
export interface Suggestion {
  readonly key: string;
  readonly from: number;
  readonly to: number;
  readonly insert: string;
  readonly label: string;
  readonly detail: string;
}

const MAX_SHOWN = 8;
/** What a completion puts into the prompt is the agent's own text: it is one word, and nothing in it hides. */
const MAX_INSERT = 1_024;
const HIDES = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Slash commands at the start of a prompt, paths after an `@`; those that begin with what is typed first. Pure. */
export function suggest(
  text: string,
  caret: number,
  commands: readonly Command[],
  paths: readonly string[],
): readonly Suggestion[] {
  const before = text.slice(0, caret);
  const command = /^\/([^\s/]*)$/.exec(before);
  if (command !== null) {
    return pick(commands, command[1] ?? '', ({ name }) => name).map(({ name, description, hint }) => ({
      key: name,
      from: 0,
      to: caret,
      insert: `/${name} `,
      label: `/${name}`,
      detail: hint === undefined ? description : `${hint} · ${description}`,
    }));
  }
  const mention = /(?:^|\s)@([^\s@]*)$/.exec(before);
  if (mention === null) return [];
  const typed = mention[1] ?? '';
  return pick(paths, typed, (path) => path).map((path) => ({
    key: path,
    from: caret - typed.length - 1,
    to: caret,
    insert: `@${path} `,
    label: path.split('/').at(-1) ?? path,
    detail: path,
  }));
}

function pick<T>(all: readonly T[], typed: string, nameOf: (one: T) => string): readonly T[] {
  const wanted = typed.toLowerCase();
  const named = all.filter((one) => {
    const name = nameOf(one);
    return name.length <= MAX_INSERT && !HIDES.test(name) && name.toLowerCase().includes(wanted);
  });
  const begins = (one: T) => nameOf(one).split('/').at(-1)?.toLowerCase().startsWith(wanted) ?? false;
  return [...named.filter(begins), ...named.filter((one) => !begins(one))].slice(0, MAX_SHOWN);
}
