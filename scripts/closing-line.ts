// Ends a test run with one plain line that any program can read: `12 passed, 0 failed, 1 skipped`.
// A file that cannot be loaded and an error outside every test count as failed, so a broken run never reads as a green one.
import type { Reporter, TestModule } from 'vitest/node';

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** What is counted of a run; a part of what vitest hands to a reporter. */
export interface RunResult {
  readonly modules: readonly {
    readonly loadErrors: number;
    readonly states: readonly ('passed' | 'failed' | 'skipped' | 'pending')[];
  }[];
  readonly unhandledErrors: number;
}

export function closingLine(result: RunResult): string {
  const counts: Counts = { passed: 0, failed: result.unhandledErrors, skipped: 0 };
  for (const module of result.modules) {
    counts.failed += module.loadErrors;
    // A test still pending when the run is over was never finished.
    for (const state of module.states) counts[state === 'pending' ? 'failed' : state] += 1;
  }
  return `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
}

function summarise(module: TestModule): RunResult['modules'][number] {
  const states = [...module.children.allTests()].map((test) => test.result().state);
  return { loadErrors: module.errors().length, states };
}

// oxlint-disable-next-line import/no-default-export -- vitest loads a reporter by its default export.
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const line = closingLine({ modules: modules.map(summarise), unhandledErrors: unhandledErrors.length });
    // After the other reporters' summary, and on the stream that they use.
    process.stdout.write(`\n${line}\n`);
  }
}
