import { expect, test } from 'vitest';
import {
  isOf,
  isSerial,
  plainName,
  readFocus,
  readPassing,
  readReport,
  shares,
  storedPassing,
  writePassing,
} from './specs.ts';

const REPORT = `<testsuites><testsuite name="suite" tests="3">
  <testcase name="[SynchronizedBeforeSuite]" classname="suite" status="passed" time="0.1"></testcase>
  <testcase name="[It] [sig-node] Lease lease API should be available [Conformance] [sig-node, Conformance]" status="passed" time="1.5"></testcase>
  <testcase name="[It] [sig-apps] &#34;a&#34; &amp; b" classname="suite" status="failed" time="2">
    <failure message="wanted &lt;1&gt;&#xA;got 2" type="failed">trace</failure>
  </testcase>
  <testcase name="[It] [sig-apps] left out" status="skipped" time="0"></testcase>
</testsuite></testsuites>`;

test('a report -> the specs that ran, with the first line of what went wrong', () => {
  expect(readReport(REPORT)).toMatchObject([
    { name: expect.stringContaining('lease API'), passed: true, seconds: 1.5, why: '' },
    { name: '[sig-apps] "a" & b', passed: false, seconds: 2, why: 'wanted <1>' },
  ]);
});

test('a focus and the name in a report, which carries labels -> the same spec', () => {
  const [focus = ''] = readFocus('\\[sig-node\\] Lease lease API should be available \\[Conformance\\]\n\n');
  const [lease, other] = readReport(REPORT);
  expect(lease !== undefined && isOf(lease, plainName(focus))).toBe(true);
  expect(other !== undefined && isOf(other, plainName(focus))).toBe(false);
});

test('a list of what passes -> with the seconds it took; what fails stays, what passes now comes in', () => {
  const before = [
    { focus: 'kept', seconds: 12.5 },
    { focus: 'renewed', seconds: 3 },
  ];
  const results = [
    { name: 'kept', passed: false, seconds: 1, why: 'no' },
    { name: 'renewed [labels]', passed: true, seconds: 4, why: '' },
    { name: 'new', passed: true, seconds: 100.04, why: '' },
    { name: 'failed', passed: false, seconds: 1, why: 'no' },
  ];
  const text = writePassing(storedPassing(before, ['kept', 'renewed', 'new', 'failed'], results));
  expect(text).toBe(' 12.5 kept\n  4.0 renewed\n100.0 new\n');
  expect(readPassing(text)).toEqual([
    { focus: 'kept', seconds: 12.5 },
    { focus: 'renewed', seconds: 4 },
    { focus: 'new', seconds: 100 },
  ]);
});

test('specs that take different times -> shares that take about the same, and none that is empty', () => {
  const specs = [3, 60, 20, 20, 0, 0].map((seconds, index) => ({ focus: `${index}`, seconds }));
  expect(shares(specs, 2)).toEqual([['1'], ['2', '3', '0', '4', '5']]);
  expect(shares(specs.slice(0, 1), 4)).toEqual([['0']]);
});

test('a spec that says so in its name -> it is run beside nothing else', () => {
  expect(isSerial({ focus: String.raw`\[sig-x\] y \[Serial\] z`, seconds: 1 })).toBe(true);
  expect(isSerial({ focus: 'Serial y', seconds: 1 })).toBe(false);
});
