import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../kube/object.ts';
import { EncodedObjects } from './encoded-objects.ts';

const object = (name: string): KubeObject =>
  Object.freeze({
    apiVersion: 'v1',
    metadata: Object.freeze({ name, uid: 'u', resourceVersion: '1', creationTimestamp: 't' }),
    kind: 'ConfigMap',
    data: { ä: '€' },
  });
const HEAD = '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[';
const parsed = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString('utf8'));

describe('EncodedObjects', () => {
  it('P-HTTP-2 an object asked for again -> the very same bytes, kind first', () => {
    const encoded = new EncodedObjects();
    const one = object('a');
    expect(encoded.whole(one)).toBe(encoded.whole(one));
    expect(encoded.whole(one).toString('utf8')).toMatch(/^\{"kind":"ConfigMap","apiVersion":"v1","metadata"/);
    expect(parsed(encoded.whole(one))).toEqual(one);
  });

  it('P-HTTP-2 an event for the second watcher -> the very same bytes', () => {
    const encoded = new EncodedObjects();
    const event = { type: 'MODIFIED', object: object('a') } as const;
    expect(encoded.event(event)).toBe(encoded.event({ ...event }));
    expect(parsed(encoded.event(event))).toEqual(event);
  });

  it('an event of another type -> other bytes', () => {
    const encoded = new EncodedObjects();
    const one = object('a');
    expect(parsed(encoded.event({ type: 'ADDED', object: one }))).toEqual({ type: 'ADDED', object: one });
    expect(parsed(encoded.event({ type: 'DELETED', object: one }))).toEqual({ type: 'DELETED', object: one });
  });

  it.each([0, 1, 3])('a list of %i -> members without kind, custom ones with it', (count) => {
    const encoded = new EncodedObjects();
    const items = Array.from({ length: count }, (_, index) => object(`n${index}`));
    const bare = items.map(({ kind: _kind, apiVersion: _apiVersion, ...rest }) => rest);
    expect(parsed(encoded.list(HEAD, items, { isCustom: false }))).toMatchObject({ items: bare });
    expect(encoded.list(HEAD, items, { isCustom: false }).toString()).not.toContain('"kind":"ConfigMap"');
    expect(parsed(encoded.list(HEAD, items, { isCustom: true }))).toMatchObject({ items });
  });
});
