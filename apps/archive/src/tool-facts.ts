import type { FileRow } from '@heliograph/record';
import type { ToolItem } from '@heliograph/transcript';

/** Arguments longer than this are not read for paths and commands. */
const MAX_READ = 262_144;
const PATH_KEYS = ['path', 'file_path', 'filePath', 'abs_path', 'absolute_path', 'notebook_path'];
const ACTIONS: Readonly<Record<string, string>> = { read: 'read', edit: 'write', delete: 'delete', move: 'move' };
/** Files of one tool call that are listed. */
const MAX_FILES = 1_000;

/** Files a tool call names: in its diffs (written), its locations and its arguments. */
export function filesOf(tool: ToolItem, cwd: string | undefined): readonly FileRow[] {
  const action = Object.hasOwn(ACTIONS, tool.toolKind) ? (ACTIONS[tool.toolKind] ?? 'other') : 'other';
  const input = argumentsOf(tool);
  const named = PATH_KEYS.flatMap((key) => (typeof input[key] === 'string' ? [input[key]] : []));
  const found = [
    ...tool.content.flatMap((content) => (content.type === 'diff' ? [[content.path, 'write'] as const] : [])),
    ...[...tool.locations.map(({ path }) => path), ...named].map((path) => [path, action] as const),
  ];
  const written = new Set(found.flatMap(([path, how]) => (how === 'write' ? [path] : [])));
  const rows = new Map<string, FileRow>();
  for (const [path, how] of found) {
    if (path === '' || (how === 'other' && written.has(path))) continue;
    if (rows.size < MAX_FILES) rows.set(`${how} ${path}`, { path, action: how, outsideCwd: isOutside(path, cwd) });
  }
  return [...rows.values()];
}

/** The command line a tool call ran, `undefined` where it ran none. */
export function commandOf(tool: ToolItem): string | undefined {
  const input = argumentsOf(tool);
  const given = input.command ?? input.cmd ?? input.commands;
  if (typeof given === 'string') return tool.toolKind === 'execute' || input.cmd !== undefined ? given : undefined;
  const words = Array.isArray(given) ? given.filter((word) => typeof word === 'string') : [];
  // `bash -lc "…"`: what is run is the script.
  const script = words.length === 3 && /^-\w*c$/.test(words[1] ?? '') ? words[2] : undefined;
  if (words.length > 0) return script ?? words.join(' ');
  return tool.toolKind === 'execute' && tool.title !== '' ? tool.title : undefined;
}

const NETWORK =
  /(?:^|[\s;&|(`$/])(?:curl|wget|ssh|scp|sftp|rsync|nc|ncat|netcat|socat|telnet|ftp|gh|aws|gcloud|az|kubectl|helm|git\s+(?:clone|fetch|pull|push|ls-remote|submodule)|(?:npm|pnpm|yarn|bun)\s+(?:i|install|ci|add|publish|update|exec|dlx)|npx|pipx?3?\s+install|uv\s+(?:add|sync|pip)|cargo\s+(?:install|fetch|publish|add)|go\s+(?:get|install|mod)|apt(?:-get)?|brew|docker\s+(?:pull|push|login|run|build))(?:\s|$)|https?:\/\//;

/** Whether a command names a program or an address of other machines; it knows names only. */
export function isNetworkCommand(command: string): boolean {
  return NETWORK.test(command.slice(0, 8_192));
}

/** Whether a path leads out of the session's folder; of a session whose folder is not known every whole path counts as outside, to be looked at. */
export function isOutside(path: string, cwd: string | undefined): boolean {
  if (cwd === undefined || cwd === '') return /^(?:\/|[A-Za-z]:\/|file:|\.\.(?:\/|$))/.test(path.replaceAll('\\', '/'));
  const target = resolve(path.replace(/^file:\/\//, ''), cwd);
  const root = resolve(cwd, '/');
  return target !== root && !target.startsWith(root.endsWith('/') ? root : `${root}/`);
}

/** An absolute path without `.` and `..`; Windows drives count as a first folder. */
function resolve(path: string, base: string): string {
  const slashed = path.replaceAll('\\', '/');
  const isAbsolute = slashed.startsWith('/') || /^[A-Za-z]:\//.test(slashed);
  const parts: string[] = [];
  for (const part of (isAbsolute ? slashed : `${base.replaceAll('\\', '/')}/${slashed}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

function argumentsOf(tool: ToolItem): Record<string, unknown> {
  if (tool.rawInput === undefined || tool.rawInput.length > MAX_READ) return {};
  try {
    const value: unknown = JSON.parse(tool.rawInput);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {}; // Shown raw, in the input column.
  }
}
