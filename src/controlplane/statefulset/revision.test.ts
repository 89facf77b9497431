import { describe, expect, it } from 'vitest';
import { aRevision, aStatefulSet } from '../../../test/workloads/makers.ts';
import {
  canonicalJson,
  decideRevision,
  decideTruncation,
  inOrder,
  newRevision,
  revisionData,
  revisionHash,
  revisionName,
  templateOf,
} from './revision.ts';

const withImage = (image: string) => {
  const set = aStatefulSet();
  const containers = [{ name: 'main', image, resources: {} }];
  return aStatefulSet({ template: { ...set.spec.template, spec: { containers } } });
};
const dataOf = (image: string) => revisionData(withImage(image));

describe('P-STS-9 revisionHash', () => {
  /** Computed by upstream's own packages from the same set. */
  const template = {
    spec: {
      schedulerName: 'default-scheduler',
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      nodeName: 'n1',
      securityContext: {},
      containers: [
        {
          name: 'main',
          image: 'pause',
          resources: { requests: { cpu: '100m', memory: '1Gi' } },
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'Always',
        },
      ],
    },
    metadata: { labels: { app: 'web' }, annotations: { 'a/note': 'x < y & "z" ü' } },
  };
  const data = revisionData(aStatefulSet({ template }));

  it('a patch -> the bytes that Go writes', () => {
    const json = canonicalJson(data);
    expect(json.startsWith('{"spec":{"template":{"$patch":"replace","metadata":{"annotations":')).toBe(true);
    expect(json).toContain(String.raw`x \u003c y \u0026 \"z\" ü`);
  });

  it.each([
    [0, 'd8d7b6d98'],
    [1, 'd8d7b6d99'],
    [2, 'd8d7b6d96'],
  ])('collision count %d -> upstream’s %s', (collisionCount, hash) => {
    expect(revisionHash(data, collisionCount)).toBe(hash);
  });

  it('a long name of a set -> cut, so that the revision’s name is legal', () => {
    const set = aStatefulSet({}, {}, { name: 'w'.repeat(250) });
    expect(revisionName(set, 'abc')).toBe(`${'w'.repeat(223)}-abc`);
  });

  it('a new revision -> labels of the template, annotations of the set, controlled by it', () => {
    const set = aStatefulSet({}, { collisionCount: 1 }, { annotations: { note: 'x' } });
    const hash = revisionHash(revisionData(set), 1);
    expect(newRevision(set, 4)).toMatchObject({
      metadata: {
        name: `web-${hash}`,
        labels: { app: 'web', 'controller.kubernetes.io/hash': hash },
        annotations: { note: 'x' },
        ownerReferences: [{ kind: 'StatefulSet', name: 'web', uid: 'uid-of-web', controller: true }],
      },
      revision: 4,
    });
  });
});

describe('templateOf', () => {
  it('a revision -> the template it was made from', () => {
    const set = withImage('one');
    expect(templateOf(aRevision('r', 1, revisionData(set)))).toEqual(set.spec.template);
  });

  it('data of something else -> refused', () => {
    expect(() => templateOf(aRevision('r', 1, { spec: {} }))).toThrow('revision r holds no pod template');
  });
});

describe('P-STS-9 decideRevision', () => {
  const one = aRevision('web-1', 1, dataOf('one'));
  const two = aRevision('web-2', 2, dataOf('two'));

  it('no history -> the first revision is made', () => {
    expect(decideRevision(withImage('one'), [])).toMatchObject({ type: 'create', draft: { revision: 1 } });
  });

  it('template of the latest -> nothing new', () => {
    expect(decideRevision(withImage('two'), [one, two])).toEqual({ type: 'use', revision: two });
  });

  it('template of an older one -> that becomes the newest', () => {
    expect(decideRevision(withImage('one'), [one, two])).toEqual({ type: 'renumber', revision: one, number: 3 });
  });

  it('a new template -> a new revision above all', () => {
    expect(decideRevision(withImage('three'), [one, two])).toMatchObject({ type: 'create', draft: { revision: 3 } });
  });

  it('two revisions hold the template, one of them the latest -> nothing new', () => {
    const again = aRevision('web-3', 3, dataOf('one'));
    expect(decideRevision(withImage('one'), [one, two, again])).toEqual({ type: 'use', revision: again });
  });

  it('the latest differs by unset times that an older server wrote -> nothing new', () => {
    const template = { ...withImage('one').spec.template, $patch: 'replace' };
    const old = { spec: { template: { ...template, metadata: { ...template.metadata, creationTimestamp: null } } } };
    const latest = aRevision('web-9', 9, old);
    expect(decideRevision(withImage('one'), [latest])).toEqual({ type: 'use', revision: latest });
  });
});

describe('inOrder', () => {
  it('equal numbers -> the older first, then by name', () => {
    const revisions = [
      aRevision('d', 2, {}),
      aRevision('c', 1, {}, 10),
      aRevision('b', 1, {}, 20),
      aRevision('a', 1, {}, 10),
    ];
    expect(inOrder(revisions).map(({ metadata }) => metadata.name)).toEqual(['b', 'a', 'c', 'd']);
  });
});

describe('P-STS-9 decideTruncation', () => {
  const revisions = ['a', 'b', 'c', 'd', 'e'].map((name, index) => aRevision(name, index + 1, {}));

  it.each([
    ['limit 1, two live    -> the oldest dead go', 1, ['a', 'e'], ['b', 'c']],
    ['limit 0, two live    -> all dead go', 0, ['d', 'e'], ['a', 'b', 'c']],
    ['limit 10             -> all stay', 10, [], []],
    ['negative limit       -> all stay', -1, [], []],
  ])('%s', (_situation, limit, live, expected) => {
    const gone = decideTruncation({ revisions, live: new Set(live), limit });
    expect(gone.map(({ metadata }) => metadata.name)).toEqual(expected);
  });
});
