import type { Browser, Page } from 'playwright-core';

/** What a page's main thread did, in ms of its own processor time: other programs of the machine don't count. */
export interface MainThread {
  readonly longestMs: number;
  readonly totalMs: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Measures every task of the page's main thread while `act` runs. */
export async function watchMainThread(browser: Browser, page: Page, act: () => Promise<void>): Promise<MainThread> {
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
  let problem: unknown;
  await act().catch((error: unknown) => {
    problem = error;
  });
  const trace = await browser.stopTracing();
  if (problem !== undefined) throw problem;
  const { traceEvents } = JSON.parse(trace.toString('utf8')) as { readonly traceEvents: readonly TraceEvent[] };
  const mains = traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const ours = (event: TraceEvent) => mains.some(({ pid, tid }) => pid === event.pid && tid === event.tid);
  const tasks = traceEvents.filter((event) => event.tdur !== undefined && /RunTask$/.test(event.name) && ours(event));
  if (tasks.length === 0) throw new Error('the trace has no task of a main thread');
  const times = tasks.map(({ tdur = 0 }) => tdur / 1_000);
  return { longestMs: Math.max(...times), totalMs: times.reduce((sum, ms) => sum + ms, 0) };
}
