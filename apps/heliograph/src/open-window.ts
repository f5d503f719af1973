import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { findBrowser } from './find-browser.mjs';
import type { Log } from './log.ts';
import type { Env } from './settings.ts';

/** A window that was opened; `close` ends its browser. */
export interface Window {
  close(): Promise<void>;
}

/**
 * Shows a page in a window of its own (Chromium, Chrome or Edge as an app, with a profile of ours), else in a tab of
 * the user's browser. Undefined when this machine has no screen or nothing to show it with: the log says so.
 */
export function openWindow(url: string, profileFolder: string, env: Env, log: Log): Window | undefined {
  if (!hasScreen(env)) {
    log.info({ url }, 'no screen here: open this address in a browser on this machine');
    return undefined;
  }
  const browser = findBrowser(env);
  if (browser === undefined) return openTab(url, env, log);
  mkdirSync(profileFolder, { recursive: true, mode: 0o700 });
  const child = spawn(browser, windowArguments(url, profileFolder), { stdio: 'ignore', detached: true, env });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      log.warn({ browser, url }, `the window could not be opened (${error.message}): open this address in a browser`);
      resolve();
    });
  });
  return {
    async close() {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
      // The browser leads a process group: this ends its helpers too.
      process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGTERM');
      await ended;
    },
  };
}

/** How Chromium shows one page as an application, without first-run questions and without a sandbox only for root. */
export function windowArguments(url: string, profileFolder: string, isRoot = process.getuid?.() === 0): string[] {
  const quiet = ['--no-first-run', '--no-default-browser-check', '--disable-sync'];
  return [
    `--app=${url}`,
    `--user-data-dir=${profileFolder}`,
    '--class=heliograph',
    ...quiet,
    ...(isRoot ? ['--no-sandbox'] : []),
  ];
}

function hasScreen(env: Env): boolean {
  return process.platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

const openers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd.exe', '/c', 'start', '""'],
  linux: ['xdg-open'],
};

function openTab(url: string, env: Env, log: Log): undefined {
  const [command, ...args] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true, env });
  child.once('error', () => log.info({ url }, 'no browser was found: open this address in one'));
  child.unref();
}
