import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { badUsage, Failure, shellWord, systemCode } from './failure.ts';

const maxSecretBytes = 65_536;

/** Reads the file an argument names; the Failure names the argument, the path and what was expected. */
export function readNamedFile(path: string, flag: string, expected: string): string {
  try {
    if (!statSync(path).isFile()) throw badUsage(`${flag}: ${path} is not a file. Expected ${expected}.`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') throw badUsage(`${flag}: there is no file ${path}. Expected ${expected}.`);
    if (code === 'EACCES' || code === 'EPERM')
      throw badUsage(`${flag}: ${path} may not be read by this user. Expected ${expected}.`);
    throw error;
  }
}

/** The mode of a file that others than its owner may read, as in `chmod`; undefined when it is private. */
export function openMode(path: string): string | undefined {
  if (process.platform === 'win32') return undefined;
  const mode = statSync(path).mode & 0o777;
  return mode & 0o077 ? mode.toString(8).padStart(4, '0') : undefined;
}

/** The command that makes a file private. */
export function privateCommand(path: string): string {
  return `chmod 600 ${shellWord(path)}`;
}

/** The value of an argument like --invite: from `@FILE`, or from standard input (a hidden prompt on a terminal) for `-`. */
export async function readSecretArgument(
  value: string,
  flag: string,
  folder: string,
): Promise<{ text: string; path?: string }> {
  if (value === '-') {
    const text = process.stdin.isTTY ? await hiddenPrompt(`${flag} (not shown): `) : await readStandardInput(flag);
    return { text: text.trim() };
  }
  if (!value.startsWith('@') || value === '@') {
    throw badUsage(`${flag}: expected @FILE (the path of a file, after an @) or - (standard input).`);
  }
  const path = resolve(folder, value.slice(1));
  return { text: readNamedFile(path, flag, 'a file with the token').trim(), path };
}

async function readStandardInput(flag: string): Promise<string> {
  let text = '';
  process.stdin.setEncoding('utf8');
  for await (const chunk of process.stdin) {
    text += chunk;
    if (text.length > maxSecretBytes) throw badUsage(`${flag}: standard input is longer than any token.`);
  }
  return text;
}

const keys = { enter: '\r\n\u0004', interrupt: '\u0003', erase: '\u0008\u007f' } as const;

/** Asks on the terminal for a line that is not echoed. */
export async function hiddenPrompt(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(question);
  stdin.setRawMode(true).setEncoding('utf8').resume();
  let answer = '';
  try {
    for await (const chunk of on(stdin)) {
      for (const key of chunk) {
        if (key === keys.interrupt) throw new Failure(1, 'interrupted at the prompt.');
        if (keys.enter.includes(key)) return answer;
        answer = keys.erase.includes(key) ? answer.slice(0, -1) : answer + key;
      }
    }
    return answer;
  } finally {
    stdin.setRawMode(false).pause();
    stderr.write('\n');
  }
}

/** The chunks of a stream, without ending it when the reader stops early. */
async function* on(stream: NodeJS.ReadStream): AsyncGenerator<string> {
  yield* stream.iterator({ destroyOnReturn: false });
}
