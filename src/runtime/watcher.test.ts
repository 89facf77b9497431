import { describe, expect, it } from 'vitest';
import { expired, serviceUnavailable, tooLargeResourceVersion } from '../kube/api-error.ts';
import { type Widget, widget } from '../../test/runtime/test-context.ts';
import { LIST_PAGE_SIZE, type WatcherEffect, type WatcherInput, type WatcherState, step } from './watcher.ts';

const a = { ...widget('a'), metadata: { ...widget('a').metadata, resourceVersion: '8' } };
const b = widget('b');
const empty = (notOlderThan = ''): WatcherState<Widget> => ({ at: 'empty', notOlderThan });
const listing = (notOlderThan = '', ...pages: (readonly Widget[])[]): WatcherState<Widget> => ({
  at: 'listing',
  notOlderThan,
  pages,
});
const listed: WatcherState<Widget> = { at: 'listed', resourceVersion: '7' };
const watching = (resourceVersion = '7'): WatcherState<Widget> => ({ at: 'watching', resourceVersion });

const ready: WatcherInput<Widget> = { type: 'ready' };
const page = (items: readonly Widget[], more?: string): WatcherInput<Widget> => ({
  type: 'page',
  list: { items, resourceVersion: '7', ...(more === undefined ? {} : { continue: more }) },
});
const listFailed = (error: unknown): WatcherInput<Widget> => ({ type: 'list-failed', error });
const closed = (cause?: ReturnType<typeof expired>, short = false): WatcherInput<Widget> => ({
  type: 'closed',
  cause,
  short,
});
const modified = { type: 'MODIFIED', object: a } as const;
const event = (each: Extract<WatcherInput<Widget>, { type: 'event' }>['event']): WatcherInput<Widget> => ({
  type: 'event',
  event: each,
});

const listAll: WatcherEffect<Widget> = { do: 'list', options: { limit: LIST_PAGE_SIZE } };
const listWhole: WatcherEffect<Widget> = { do: 'list', options: {} };
const watch: WatcherEffect<Widget> = { do: 'watch', resourceVersion: '7' };
const backOff: WatcherEffect<Widget> = { do: 'back-off' };

type Row = readonly [
  name: string,
  state: WatcherState<Widget>,
  input: WatcherInput<Widget>,
  next: WatcherState<Widget>,
  effects: readonly WatcherEffect<Widget>[],
];
const rows: readonly Row[] = [
  ['empty, ready -> lists the newest, in pages', empty(), ready, listing(), [listAll]],
  [
    'empty after 410, ready -> lists whole, not older than known',
    empty('5'),
    ready,
    listing('5'),
    [{ do: 'list', options: { resourceVersion: '5', resourceVersionMatch: 'NotOlderThan' } }],
  ],
  [
    'a page with more behind it -> asks on, tells nothing',
    listing(),
    page([a], 'next'),
    listing('', [a]),
    [{ do: 'list', options: { limit: LIST_PAGE_SIZE, continue: 'next' } }],
  ],
  [
    'the last page -> replaces by all pages, then watches from the list',
    listing('', [a]),
    page([b]),
    watching(),
    [{ do: 'replace', items: [a, b] }, watch],
  ],
  ['the token of a page expired -> lists whole', listing('', [a]), listFailed(expired('')), listing(), [listWhole]],
  ['the bound of a list expired -> lists the newest', listing('5'), listFailed(expired('')), listing(), [listAll]],
  [
    'the bound of a list lies ahead -> lists the newest',
    listing('5'),
    listFailed(tooLargeResourceVersion(5, 4)),
    listing(),
    [listAll],
  ],
  ['an unbound list expired -> waits', listing(), listFailed(expired('')), empty(), [backOff]],
  ['a list failed -> waits, the bound stays', listing('5'), listFailed(new Error('reset')), empty('5'), [backOff]],
  ['listed, ready -> watches', listed, ready, watching(), [watch]],
  [
    'an event -> applied, its revision is the last',
    watching(),
    event(modified),
    watching('8'),
    [{ do: 'apply', event: modified }],
  ],
  [
    'a bookmark -> its revision is the last',
    watching(),
    event({ type: 'BOOKMARK', resourceVersion: '9', initialEventsEnd: false }),
    watching('9'),
    [],
  ],
  [
    'the stream says 410 -> dropped, waits to list not older than known',
    watching(),
    event({ type: 'ERROR', error: expired('') }),
    empty('7'),
    [{ do: 'drop-watch' }, backOff],
  ],
  [
    'the stream says anything else -> dropped, waits to go on',
    watching(),
    event({ type: 'ERROR', error: serviceUnavailable('') }),
    listed,
    [{ do: 'drop-watch' }, backOff],
  ],
  ['closed with 410 -> waits to list not older than known', watching(), closed(expired('')), empty('7'), [backOff]],
  ['closed with an error -> waits to go on', watching(), closed(serviceUnavailable('')), listed, [backOff]],
  ['closed -> goes on at once', watching(), closed(), watching(), [watch]],
  ['closed at once without a word -> waits to go on', watching(), closed(undefined, true), listed, [backOff]],
  ['an answer nobody waits for -> ignored', watching(), page([b]), watching(), []],
];

describe('step', () => {
  it.each(rows)('P-RT-1 %s', (...[, state, input, next, effects]) => {
    expect(step(state, input)).toEqual({ state: next, effects });
  });
});
