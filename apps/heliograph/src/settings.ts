import { dirname } from 'node:path';

export type Env = Readonly<Record<string, string | undefined>>;

const offWords = new Set(['', '0', 'false', 'no']);

/**
 * The environment with HELIOGRAPH_* settings that are empty taken out (compose files pass them so), and switches
 * (HELIOGRAPH_NO_*) that say no.
 */
export function withoutEmptySettings(env: Env): Env {
  const isOff = ([name, value = '']: [string, string | undefined]) =>
    name.startsWith('HELIOGRAPH_') &&
    (value === '' || (name.startsWith('HELIOGRAPH_NO_') && offWords.has(value.toLowerCase())));
  return Object.fromEntries(Object.entries(env).filter((entry) => !isOff(entry)));
}

/** The folder the user stands in: npm runs scripts in the package's folder and keeps the user's in INIT_CWD. */
export function userFolder(env: Env, cwd: string): string {
  const packageFile = env.npm_package_json;
  const byNpm = packageFile !== undefined && dirname(packageFile) === cwd;
  return (byNpm && env.INIT_CWD) || cwd;
}

/** The environment for an agent: ours without what is about Heliograph or npm's way of starting it. */
export function agentEnv(env: Env): Record<string, string> {
  const isOurs = (name: string) => /^(HELIOGRAPH_|npm_|INIT_CWD$)/i.test(name);
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && !isOurs(entry[0])),
  );
}

/** The name of a flag's environment variable: `--owner-key` is HELIOGRAPH_OWNER_KEY. */
export function envName(flag: string): string {
  return `HELIOGRAPH_${flag.replace(/^--/, '').replaceAll('-', '_').toUpperCase()}`;
}
