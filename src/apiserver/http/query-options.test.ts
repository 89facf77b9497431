import { describe, expect, it } from 'vitest';
import { includeObjectOf, listOptionsOf, patchOptionsOf, watchOptionsOf, writeOptionsOf } from './query-options.ts';

const query = (text: string): URLSearchParams => new URLSearchParams(text);
const refusal = (run: () => unknown): string => {
  try {
    run();
    return 'nothing';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('listOptionsOf', () => {
  it('all of them -> read, empty ones left out', () => {
    expect(
      listOptionsOf(query('limit=5&continue=c&labelSelector=&fieldSelector=a%3Db&resourceVersion=3'), 'ns'),
    ).toEqual({
      namespace: 'ns',
      limit: 5,
      continue: 'c',
      fieldSelector: 'a=b',
      resourceVersion: '3',
    });
  });
  it.each(['limit=two', 'limit=', 'limit=1.5', 'timeoutSeconds=x', 'limit=99999999999999999999'])(
    '?%s -> BadRequest',
    (text) => {
      expect(refusal(() => listOptionsOf(query(text), undefined))).toMatch(/^strconv\.ParseInt: parsing/);
    },
  );
});

describe('watchOptionsOf', () => {
  it.each([
    ['resourceVersion=0', true],
    ['', true],
    ['resourceVersion=7', undefined],
    ['resourceVersion=0&sendInitialEvents=false&resourceVersionMatch=NotOlderThan', false],
  ])('?%s -> initial events %s', (text, wanted) => {
    expect(watchOptionsOf(query(text), undefined).sendInitialEvents).toBe(wanted);
  });
  it.each([
    ['allowWatchBookmarks=true', true],
    ['allowWatchBookmarks', true],
    ['allowWatchBookmarks=0', false],
    ['allowWatchBookmarks=False', false],
    ['', false],
  ])('?%s -> bookmarks %s', (text, wanted) => {
    expect(watchOptionsOf(query(text), undefined).allowWatchBookmarks).toBe(wanted);
  });
});

describe('writeOptionsOf', () => {
  it('no manager named -> the program is', () => {
    expect(writeOptionsOf(query(''), 'CreateOptions', 'kubectl/v1.36 (linux)').fieldManager).toBe('kubectl');
  });
  it.each([
    ['dryRun=Some', 'dryRun: Unsupported value: ["Some"]: supported values: "All"'],
    ['fieldValidation=Loud', 'fieldValidation: Unsupported value: "Loud"'],
    [`fieldManager=${'m'.repeat(129)}`, 'fieldManager: Too long: may not be more than 128 bytes'],
    ['fieldManager=a%0Ab', 'invalid character U+000A (at position 1)'],
  ])('?%s -> Invalid', (text, says) => {
    expect(refusal(() => writeOptionsOf(query(text), 'CreateOptions', ''))).toContain(says);
  });
});

describe('patchOptionsOf', () => {
  it('an apply without a manager -> Invalid', () => {
    expect(refusal(() => patchOptionsOf(query(''), 'x/1', { isApply: true }))).toContain('is required for apply patch');
  });
  it('force without apply -> Invalid', () => {
    const says = 'force: Forbidden: may not be specified for non-apply patch';
    expect(refusal(() => patchOptionsOf(query('force=false'), 'x/1', { isApply: false }))).toContain(says);
  });
});

describe('includeObjectOf', () => {
  it.each([
    ['', 'Metadata'],
    ['includeObject=None', 'None'],
    ['includeObject=Object', 'Object'],
  ])('?%s -> %s', (text, wanted) => {
    expect(includeObjectOf(query(text))).toBe(wanted);
  });
  it('another word -> BadRequest', () => {
    expect(refusal(() => includeObjectOf(query('includeObject=All')))).toContain(
      "must be 'Metadata', 'Object', 'None', or empty",
    );
  });
});
