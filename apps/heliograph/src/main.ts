import { CommanderError } from 'commander';
import { type Context, createContext, type Installation } from './context.ts';
import { badUsage, Failure, systemCode } from './failure.ts';
import { makeNamedFolders } from './folders.ts';
import { createProgram } from './program.ts';
import { refuseLiteralSecrets } from './secret-guard.ts';
import { withoutEmptySettings } from './settings.ts';

/** Runs the command line with these words; gives the exit code. What goes wrong is one sentence on stderr. */
export async function main(words: readonly string[], installation: Installation): Promise<number> {
  try {
    return await run(words, installation);
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      process.stderr.write(dashesHint(error, words, installation));
      return 2;
    }
    process.stderr.write(`heliograph: ${describe(error)}\n`);
    return error instanceof Failure ? error.exitCode : 1;
  }
}

async function run(words: readonly string[], installation: Installation): Promise<number> {
  const dashes = words.indexOf('--');
  const own = dashes === -1 ? words : words.slice(0, dashes);
  const command = dashes === -1 ? undefined : words.slice(dashes + 1);
  const env = withoutEmptySettings(process.env);
  refuseLiteralSecrets(own, env);
  // Commander reads settings from process.env.
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  stopAtBrokenPipe();

  let exitCode = 0;
  const execute = async (act: (context: Context) => Promise<number>, runsAgent: boolean) => {
    if (command !== undefined && !runsAgent)
      throw badUsage('--: this command starts no agent. Expected nothing after --.');
    const context = createContext(env, command, installation);
    makeNamedFolders(env, context.folder);
    exitCode = await act(context);
  };
  await createProgram(installation.version, env, execute).parseAsync(own, { from: 'user' });
  return exitCode;
}

/** How commander sees the flags of another program: unknown, or ours without their value. */
const WORDS_OF_AN_AGENT = new Set(['commander.unknownOption', 'commander.optionMissingArgument']);

/** An agent's command without its `--` reads as flags and words of ours; npm takes the first `--` for itself. */
function dashesHint({ code }: CommanderError, [name, ...rest]: readonly string[], installation: Installation): string {
  const start = { up: installation.startCommand, agent: 'heliograph agent …' }[name ?? ''];
  const isForgotten =
    code === 'commander.excessArguments' ||
    (WORDS_OF_AN_AGENT.has(code) && !rest.includes('--') && rest.some((word) => !word.startsWith('-')));
  if (start === undefined || !isForgotten) return '';
  return `An agent's own command goes after --, like: ${start} -- gemini --acp\n`;
}

/** A reader that goes away (`| head`) is no error of ours. */
function stopAtBrokenPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

/** A Failure and what parts reject with (errors with a code) say what to do; anything else is a bug of ours. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (process.env.HELIOGRAPH_LOG === 'debug') return error.stack ?? error.message;
  if (error instanceof Failure || systemCode(error) !== undefined) return error.message;
  return `a fault in Heliograph itself: ${error.message}. HELIOGRAPH_LOG=debug shows where.`;
}
