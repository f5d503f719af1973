/** An ending the user can act on: one sentence for stderr, and the exit code (2 bad usage, 1 anything else). */
export class Failure extends Error {
  readonly exitCode: 1 | 2;

  constructor(exitCode: 1 | 2, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** An argument is wrong: the message names it and what was expected. */
export function badUsage(message: string): Failure {
  return new Failure(2, message);
}

/** The `code` of a system error such as ENOENT, undefined for anything else. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** A word as a shell would need it, for commands shown to the user. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A command line for a shell, shown to the user. */
export function shellLine(command: readonly string[]): string {
  return command.map(shellWord).join(' ');
}
