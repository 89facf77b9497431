import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Two kinds of test. `unit` is pure code: threads without isolation, about ten times faster than isolated processes, so no
// test of it may touch a global. `process` starts programs, listens on sockets or mounts: each file in a process of its own.
// test/perf belongs to `npm run bench` alone, because its figures mean nothing beside other work.
export default defineConfig({
  test: {
    reporters: ['default', './scripts/closing-line.ts'],
    passWithNoTests: true,
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'src/**/*.test.ts',
            'scripts/**/*.test.ts',
            'test/{contract,fuzz,golden,simulation,truth}/**/*.test.ts',
          ],
          setupFiles: ['test/before-tests.ts'],
          pool: 'threads',
          isolate: false,
          // Every processor, for vitest by itself leaves one idle, and sweeps need them. Programs come afterwards.
          maxWorkers: availableParallelism(),
          // A slow machine is no fault of the code: nothing here is judged by the time it takes.
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'process',
          include: ['test/{acceptance,crash}/**/*.test.ts'],
          setupFiles: ['test/before-tests.ts'],
          pool: 'forks',
          isolate: true,
          // Most of them wait for programs, so two at once take little longer than one.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
