import { expect, test } from 'vitest';
import { closingLine } from './closing-line.ts';

test('passed, failed and skipped tests -> one plain line', () => {
  const modules = [
    { loadErrors: 0, states: ['passed', 'passed', 'skipped'] as const },
    { loadErrors: 0, states: ['failed'] as const },
  ];
  expect(closingLine({ modules, unhandledErrors: 0 })).toBe('2 passed, 1 failed, 1 skipped');
});

test('a file that cannot be loaded -> failed, though it has no test', () => {
  expect(closingLine({ modules: [{ loadErrors: 1, states: [] }], unhandledErrors: 0 })).toBe(
    '0 passed, 1 failed, 0 skipped',
  );
});

test('an error outside every test -> failed', () => {
  const modules = [{ loadErrors: 0, states: ['passed'] as const }];
  expect(closingLine({ modules, unhandledErrors: 2 })).toBe('1 passed, 2 failed, 0 skipped');
});

test('a test that never finished -> failed', () => {
  expect(closingLine({ modules: [{ loadErrors: 0, states: ['pending'] }], unhandledErrors: 0 })).toBe(
    '0 passed, 1 failed, 0 skipped',
  );
});
