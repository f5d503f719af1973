import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findBrowser } from './find-browser.mjs';
import type { Log } from './log.ts';
import type { Env } from './settings.ts';

/** A window that was opened; `close` ends its browser. */
export interface Window {
  close(): Promise<void>;
}

/** The address holds a one-time token, so it is on standard output and never in a log. */
export const insteadOfWindow = 'open the address of the ready line in a browser on this machine (it works once)';

/**
 * Shows a page in a window of its own (Chromium, Chrome or Edge as an app, with a profile of ours in `folder`), else in
 * a tab of the user's browser. Undefined when this machine has no screen: the log then says what to open.
 */
export function openWindow(url: string, folder: string, env: Env, log: Log): Window | undefined {
  if (!hasScreen(env)) {
    log.info(`no screen here: ${insteadOfWindow}`);
    return undefined;
  }
  const door = writeDoor(url, folder);
  const browser = findBrowser(env);
  const child = browser === undefined ? openTab(door, env) : openApp(browser, door, join(folder, 'profile'), env);
  child.once('error', () => log.warn(`no browser could be started: ${insteadOfWindow}`));
  child.once('exit', (code) => {
    if (code) log.warn({ code }, `the window's browser failed: ${insteadOfWindow}`);
  });
  return {
    async close() {
      rmSync(door, { force: true });
      if (browser !== undefined) await endGroup(child);
    },
  };
}

/**
 * A page of ours that leads to the address. The address holds a one-time token that every user of this machine could
 * read in the browser's arguments; this file only its owner can.
 */
function writeDoor(url: string, folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const door = join(folder, 'open.html');
  rmSync(door, { force: true });
  const script = `location.replace(${JSON.stringify(url).replaceAll('<', '\\u003c')})`;
  writeFileSync(door, `<!doctype html><meta charset="utf-8"><title>Heliograph</title><script>${script}</script>\n`, {
    mode: 0o600,
  });
  return door;
}

function openApp(browser: string, door: string, profile: string, env: Env): ChildProcess {
  return spawn(browser, appArguments(door, profile, process.getuid?.() === 0), {
    stdio: 'ignore',
    detached: true,
    env,
  });
}

/** How Chromium shows one page as an application, without first-run questions, and without a sandbox only for root. */
export function appArguments(door: string, profile: string, isRoot: boolean): string[] {
  const quiet = ['--no-first-run', '--no-default-browser-check', '--disable-sync'];
  const place = [`--app=${pathToFileURL(door).href}`, `--user-data-dir=${profile}`, '--class=heliograph'];
  return [...place, ...quiet, ...(isRoot ? ['--no-sandbox'] : [])];
}

const openers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd.exe', '/c', 'start', '""'],
};

function openTab(door: string, env: Env): ChildProcess {
  const [command, ...args] = openers[process.platform] ?? ['xdg-open'];
  return spawn(command, [...args, pathToFileURL(door).href], { stdio: 'ignore', detached: true, env });
}

function hasScreen(env: Env): boolean {
  return process.platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

/** Ends the browser and its helpers: it leads a process group. */
async function endGroup(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  process.kill(process.platform === 'win32' ? pid : -pid, 'SIGTERM');
  await ended;
}
