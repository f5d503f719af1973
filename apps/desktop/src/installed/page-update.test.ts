import { expect, test } from 'vitest';
import { PageUpdate } from './page-update.ts';

class Worker extends EventTarget {
  state = 'installing';
  readonly told: unknown[] = [];
  postMessage(message: unknown): void {
    this.told.push(message);
  }
}

class Registration extends EventTarget {
  waiting: Worker | null = null;
  installing: Worker | null = null;
  looks = 0;
  async update(): Promise<void> {
    this.looks++;
  }
  /** A newer worker is found, fetched, and waits. */
  arrive(): Worker {
    const worker = new Worker();
    this.installing = worker;
    this.dispatchEvent(new Event('updatefound'));
    this.installing = null;
    this.waiting = worker;
    worker.state = 'installed';
    worker.dispatchEvent(new Event('statechange'));
    return worker;
  }
}

function page(controller: object | null) {
  const container = Object.assign(new EventTarget(), { controller });
  const registration = new Registration();
  const seen = { reloads: 0, changes: 0, nowMs: 0 };
  const update = new PageUpdate({ container, reload: () => seen.reloads++, nowMs: () => seen.nowMs });
  update.subscribe(() => seen.changes++);
  update.watch(registration);
  return { container, registration, seen, update };
}

test('PU3: a newer page is told of and loaded when the owner says so, never by itself', () => {
  const { container, registration, seen, update } = page({});
  expect(update.state).toBe('current');
  const worker = registration.arrive();
  expect(update.state).toBe('ready');
  expect(worker.told).toEqual([]);
  update.accept();
  expect(worker.told).toEqual([{ type: 'take-over' }]);
  expect(seen.reloads).toBe(0);
  container.dispatchEvent(new Event('controllerchange'));
  expect(seen).toMatchObject({ reloads: 1, changes: 1 });
});

test('PU3: the first worker is no update; one that another tab took over is', () => {
  const first = page(null);
  first.registration.arrive();
  first.container.dispatchEvent(new Event('controllerchange'));
  expect(first.update.state).toBe('current');
  first.container.dispatchEvent(new Event('controllerchange'));
  expect(first.update.state).toBe('ready');
  expect(first.seen.reloads).toBe(0);
  first.registration.waiting = null;
  first.update.accept();
  expect(first.seen.reloads).toBe(1);
});

test('PU3: a newer page is looked for at most every ten minutes', () => {
  const { registration, seen, update } = page({});
  update.look();
  seen.nowMs = 600_000;
  update.look();
  update.look();
  expect(registration.looks).toBe(1);
});
