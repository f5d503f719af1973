/**
 * `npm run bench:desktop` (`-- LINES`, 20,000 by default): the real product in Chromium. Times of the page are processor time
 * of its main thread; the rest is by the clock, on whatever else the machine does, whose load is told.
 */
import { loadavg } from 'node:os';
import type { Browser, Page } from 'playwright-core';
import { WebSocket } from 'ws';
import { launchChromium, openPage } from './support/chromium.ts';
import { watchMainThread } from './support/main-thread.ts';
import { fixtureAgent, Product } from './support/product.ts';

const LINES = Number(process.argv[2] ?? 20_000);
const LIVE_SECONDS = 5;
const CLOCKS = 20;

const product = new Product();
const browser = await launchChromium();

try {
  const up = product.start(['up', '--no-window', '--', ...fixtureAgent('says-much.mjs')], {
    home: product.home('home'),
  });
  for (const part of ['relay', 'agent', 'desktop']) await up.ready(part);
  const relay = (await up.ready('relay')).url as string;
  const { page } = await openPage(browser, (await up.ready('desktop')).url as string);
  page.setDefaultTimeout(600_000);
  // What tsx puts around functions, which the page has not.
  await page.addInitScript('globalThis.__name = (value) => value');
  await page.evaluate('globalThis.__name = (value) => value');
  await openSession(page);
  tell('load at the beginning', round(loadavg()[0] ?? 0));
  await measureLatency(page, relay);
  await measureBare(page, await measureLive(browser, page));
  await prompt(page, { lines: LINES });
  await measureOpening(browser, page);
  tell('load at the end', round(loadavg()[0] ?? 0));
} finally {
  await browser.close();
  await product.close();
}

function tell(name: string, figure: number | string): void {
  process.stdout.write(`${name}: ${figure}\n`);
}

async function openSession(page: Page): Promise<void> {
  await page.getByTestId('session-row').first().click();
  await page.locator('[data-testid="session"][data-live="true"]').waitFor();
}

/** Has the agent do something, and waits for the end of its turn. */
async function prompt(page: Page, told: object, meanwhile: () => Promise<void> = async () => undefined): Promise<void> {
  await page.getByTestId('composer').fill(JSON.stringify(told));
  await page.getByTestId('send').click();
  await page.getByTestId('cancel').waitFor();
  await meanwhile();
  await page.getByTestId('cancel').waitFor({ state: 'detached' });
}

function linesOf(page: Page): Promise<number> {
  return page.getByTestId('raw-rail').evaluate((rail) => Number((rail as HTMLElement).dataset.count));
}

/** From the agent's clock to the frame that shows it, after quiet; beside it the relay's answer to a bare WebSocket. */
async function measureLatency(page: Page, relay: string): Promise<void> {
  await page.evaluate(() => {
    const seen = new Map<string, number>();
    Object.assign(globalThis, { clocks: seen });
    const look = () => {
      for (const [stamp] of document.body.textContent?.matchAll(/clock \d{13}/g) ?? []) {
        if (!seen.has(stamp)) requestAnimationFrame(() => seen.set(stamp, Date.now()));
      }
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
    Object.assign(globalThis, { stopClocks: () => observer.disconnect() });
  });
  await prompt(page, { clock: CLOCKS, everyMs: 250 });
  const delays = await page.evaluate(() => {
    // It reads the whole page at each change: what is measured next has none of that.
    (globalThis as unknown as { stopClocks: () => void }).stopClocks();
    return [...(globalThis as unknown as { clocks: Map<string, number> }).clocks].map(
      ([stamp, shown]) => shown - Number(stamp.slice(6)),
    );
  });
  const echoes = await bareEchoes(relay, CLOCKS);
  tell('agent byte to pixel after quiet, p50 ms', quantile(delays, 0.5));
  tell('agent byte to pixel after quiet, p95 ms', quantile(delays, 0.95));
  tell('a bare WebSocket’s question to the same relay and its answer, p50 ms', quantile(echoes, 0.5));
  tell('the difference in frames of 16.7 ms (aim: 3)', round((quantile(delays, 0.5) - quantile(echoes, 0.5)) / 16.7));
}

/** Times of a question that the relay answers at once, one after the other. */
async function bareEchoes(relay: string, count: number): Promise<readonly number[]> {
  const socket = new WebSocket(relay);
  const next = () =>
    new Promise<void>((resolve) => socket.addEventListener('message', () => resolve(), { once: true }));
  await next();
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const startMs = performance.now();
    socket.send(JSON.stringify(['REQ', `echo-${n}`, { limit: 0 }]));
    await next();
    times.push(performance.now() - startMs);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  socket.close();
  return times;
}

/** A thousand lines a second while somebody types; returns the frames a second. */
async function measureLive(browser: Browser, page: Page): Promise<number> {
  let [frames, typed] = [0, 0];
  const { longestMs, totalMs } = await watchMainThread(browser, page, async () => {
    await prompt(page, { lines: 1_000 * LIVE_SECONDS, perSecond: 1_000 }, async () => {
      await page.getByTestId('composer').focus();
      typed = await typeAndCount(page);
    });
    frames = await framesOf(page);
  });
  await page.getByTestId('composer').fill('');
  tell('1,000 lines/s: main thread, processor ms a second (16.7 ms × 60 = 1,000)', round(totalMs / LIVE_SECONDS));
  tell('1,000 lines/s: longest task, processor ms', round(longestMs));
  tell('1,000 lines/s while typing: frames a second', round(typed));
  tell('1,000 lines/s: main thread, processor ms a frame (60 frames a second have 16.7)', round(totalMs / frames));
  return typed;
}

/** Frames a second of a page that counts them while somebody types in it. */
async function typeAndCount(page: Page): Promise<number> {
  await page.evaluate(() => {
    const state = { frames: 0 };
    Object.assign(globalThis, { frameState: state });
    const count = () => {
      state.frames++;
      requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
  });
  const startMs = performance.now();
  const endMs = startMs + (LIVE_SECONDS - 2) * 1_000;
  while (performance.now() < endMs) await page.keyboard.type('word ', { delay: 40 });
  return ((await framesOf(page)) / (performance.now() - startMs)) * 1_000;
}

/**
 * What this machine paints at all meanwhile: the same agent, harness and relay at work, and in the page's place one of the
 * same size that knows nothing and gets as many rows as text, ten times a second.
 */
async function measureBare(page: Page, frames: number): Promise<void> {
  const url = page.url();
  await page.getByTestId('composer').fill(JSON.stringify({ lines: 1_000 * LIVE_SECONDS, perSecond: 1_000 }));
  await page.getByTestId('send').click();
  await page.getByTestId('cancel').waitFor();
  await page.goto('about:blank');
  await page.evaluate('globalThis.__name = (value) => value');
  await page.setContent(`<style>div { position: absolute; top: 0; bottom: 90px; width: 45%; overflow: hidden }
    #lines { right: 0 } textarea { position: absolute; bottom: 0 }</style>
    <div id="rows"></div><div id="lines"></div><textarea></textarea>`);
  await page.evaluate(() => {
    let told = 0;
    const add = (id: string, count: number) => {
      const box = document.getElementById(id) as HTMLElement;
      for (let n = 0; n < count; n++) {
        const row = document.createElement('p');
        row.textContent = `word ${told++} `.repeat(8);
        box.append(row);
      }
      while (box.childElementCount > 40) box.firstElementChild?.remove();
      box.scrollTop = box.scrollHeight;
    };
    setInterval(() => {
      add('rows', 10);
      add('lines', 20);
    }, 100);
  });
  await page.locator('textarea').focus();
  const bare = await typeAndCount(page);
  tell('a page that knows nothing in its place, frames a second', round(bare));
  tell('… and of those the page shows, %', round((frames / bare) * 100));
  await page.goto(url);
  await openSession(page);
  await page.getByTestId('cancel').waitFor({ state: 'detached' });
}

function framesOf(page: Page): Promise<number> {
  return page.evaluate(() => (globalThis as unknown as { frameState: { frames: number } }).frameState.frames);
}

/** What the page's own heap holds after a collection, MB; its worker's is another. */
async function heapMb(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  await devtools.detach();
  return round(usedSize / 1_000_000);
}

/** The page loaded anew before a session of LINES lines. */
async function measureOpening(browser: Browser, page: Page): Promise<void> {
  const all = await linesOf(page);
  const startMs = performance.now();
  // Looked at by the page itself: whoever drives it comes late.
  await page.addInitScript(`
    new MutationObserver((_, observer) => {
      if (document.querySelector('[data-testid="row"]') === null) return;
      observer.disconnect();
      const rail = document.querySelector('[data-testid="raw-rail"]');
      globalThis.firstScreen = { lines: Number(rail?.dataset.count ?? 0), ms: performance.now() };
    }).observe(document, { childList: true, subtree: true });
  `);
  const { longestMs, totalMs } = await watchMainThread(browser, page, async () => {
    await page.reload();
    await page.getByTestId('row').first().waitFor();
    // Asked ten times a second: to be asked at every frame has the page paint every frame. What the harness says of itself
    // every half minute is not waited for.
    await page.waitForFunction(
      (wanted: number) =>
        Number(document.querySelector<HTMLElement>('[data-testid="raw-rail"]')?.dataset.count) >= wanted,
      LINES + LIVE_SECONDS * 1_000,
      { polling: 100 },
    );
  });
  const first = await page.evaluate(
    () => (globalThis as unknown as { firstScreen: { lines: number; ms: number } }).firstScreen,
  );
  tell('lines of the session that is opened', all);
  tell('share of its lines read when the first rows are there (aim: 5 %)', `${round((first.lines / all) * 100)} %`);
  tell(
    'until the first rows, and until all is read, s',
    `${round(first.ms / 1_000)}, ${round((performance.now() - startMs) / 1_000)}`,
  );
  tell('opening: longest task of the main thread, processor ms (aim: 50)', round(longestMs));
  tell('opening: main thread, processor µs a line', round((totalMs / all) * 1_000));
  tell('heap of the page with all of it read, MB', await heapMb(page));
}

function quantile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return round(sorted[Math.floor(sorted.length * share)] ?? Number.NaN);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
