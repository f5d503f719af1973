import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Shell } from './src/service-worker/shell.ts';

/** What of a build's output matters here; Rollup's bundle has this shape. */
type Output = Readonly<
  Record<
    string,
    {
      readonly type: 'chunk' | 'asset';
      readonly isEntry?: boolean;
      readonly name?: string | undefined;
      readonly imports?: readonly string[];
      readonly viteMetadata?: { readonly importedCss?: ReadonlySet<string> } | undefined;
    }
  >
>;

/** The name a browser knows it by: in the page's own folder, so that the folder is its scope. */
export const SERVICE_WORKER = 'service-worker.js';
/** Fonts of other scripts, and the code of languages, come when they are needed. */
const FIRST_FILES = /^assets\/(worker-|(inter|jetbrains-mono)-latin-wght-normal-)/;

/** Writes the list of the shell's files into the service worker, which stands in `dir` with all of them. */
export async function writeServiceWorker(dir: string, output: Output): Promise<void> {
  const script = output[SERVICE_WORKER];
  if (script === undefined) return;
  // Browsers differ in whether a service worker may be a module: this one needs not be.
  if ((script.imports?.length ?? 0) > 0)
    throw new Error(`${SERVICE_WORKER} shares code with the page: copy it instead`);
  const first = Object.keys(output).filter((path) => FIRST_FILES.test(path));
  const paths = ['', 'icon.svg', ...first, ...startOf(output)];
  const files: Record<string, string> = {};
  for (const path of [...new Set(paths)].sort()) {
    const content = await readFile(join(dir, path === '' ? 'index.html' : path));
    files[path] = `sha256-${createHash('sha256').update(content).digest('base64')}`;
  }
  const code = await readFile(join(dir, SERVICE_WORKER), 'utf8');
  const build = createHash('sha256').update(JSON.stringify(files)).update(code).digest('hex').slice(0, 16);
  const shell: Shell = { build, files };
  await writeFile(join(dir, SERVICE_WORKER), `self.HELIOGRAPH_SHELL=${JSON.stringify(shell)};\n${code}`);
}

/** The page's script, what it imports at once, and their styles. */
function startOf(output: Output): readonly string[] {
  const found = new Set<string>();
  const visit = (path: string): void => {
    const chunk = output[path];
    if (chunk === undefined || found.has(path)) return;
    found.add(path);
    for (const css of chunk.viteMetadata?.importedCss ?? []) found.add(css);
    for (const imported of chunk.imports ?? []) visit(imported);
  };
  for (const [path, { isEntry = false }] of Object.entries(output)) if (isEntry && path !== SERVICE_WORKER) visit(path);
  return [...found];
}
