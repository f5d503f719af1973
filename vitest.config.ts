import { defineConfig } from 'vitest/config';

// Two projects: unit (pure, quick, part of `npm run check`) and integration (real processes, ports, files, Chromium).
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          // Pure tests share a process: starting one for each file took longer than the tests.
          isolate: false,
          maxWorkers: 2,
          include: ['{packages,apps}/*/src/**/*.test.{ts,tsx}', 'scripts/**/*.test.mjs'],
          testTimeout: 20_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'integration',
          include: ['{packages,apps}/*/test/**/*.int.test.ts', 'e2e/**/*.e2e.test.ts'],
          testTimeout: 90_000,
          hookTimeout: 120_000,
          // They wait more than they work: one more than there are cores.
          maxWorkers: 3,
          expect: { poll: { timeout: 30_000 } },
          retry: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
