// The law of the planned resync: whatever happens to a cluster, visiting only the keys of the plan writes and says the
// same as visiting all keys.
//
// Two things depend on how the two workers interleave within one instant, upstream too, and are kept out of the stories:
// a volume that names an unbound claim by uid sends the claim to its queue again, so it may be looked at once or twice;
// and both workers may write one volume at the same time, of which one fails. Therefore counts of events are not compared,
// and writes fail only for a claim that no volume names by uid and for a volume that no claim can have.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StorageWorld } from '../../../test/persistentvolume/storage-world.ts';
import { SECOND_MS } from '../../base/clock.ts';
import { conflict, isApiError } from '../../kube/api-error.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume, PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { StorageClasses } from '../../kube/resources/storage-class.ts';
import { type ClaimParts, type VolumeParts, aClaim, aClass, aPod, aVolume } from '../../volume/makers.ts';
import { persistentVolumeController } from './persistentvolume.ts';
import { type VolumePlugin } from './volume-plugin.ts';

const VOLUMES = ['v1', 'v2', 'alone'] as const;
const CLAIMS = ['c1', 'c2'] as const;
const CLASSES = ['gold', 'wait'] as const;
const NAME = 'persistentvolume-controller';

type Step =
  | { readonly do: 'volume'; readonly parts: VolumeParts; readonly of: string; readonly link: 'none' | 'name' | 'uid' }
  | { readonly do: 'claim'; readonly parts: ClaimParts }
  /** Deleted and made again at once: no watch tells of the time between. */
  | { readonly do: 'remake'; readonly parts: ClaimParts }
  | { readonly do: 'class'; readonly name: string; readonly isDefault: boolean }
  | { readonly do: 'pod'; readonly name: string; readonly claim: string }
  | { readonly do: 'delete'; readonly kind: 'volume' | 'claim' | 'class' | 'pod'; readonly name: string }
  | { readonly do: 'unlink'; readonly name: string; readonly what: 'claimRef' | 'uid' }
  | { readonly do: 'policy'; readonly name: string; readonly policy: string }
  | { readonly do: 'fail'; readonly name: string; readonly forMs: number };

const volumeName = fc.constantFrom(...VOLUMES);
const claimName = fc.constantFrom(...CLAIMS);
const policy = fc.constantFrom('Retain', 'Delete', 'Recycle');
const sometimes = <T extends object>(parts: fc.Arbitrary<T>): fc.Arbitrary<T | object> =>
  fc.oneof(fc.constant({}), parts);

const volumeStep = fc
  .record({
    name: volumeName,
    size: fc.constantFrom('1Gi', '2Gi'),
    policy,
    volumeMode: fc.constantFrom('Filesystem', 'Filesystem', 'Filesystem', 'Block'),
    more: fc.tuple(
      sometimes(fc.record({ className: fc.constantFrom('', ...CLASSES) })),
      sometimes(fc.record({ provisionedBy: fc.constantFrom('d.test', 'kubernetes.io/fake') })),
      sometimes(fc.constant({ bbc: true })),
      sometimes(fc.constant({ spec: { csi: { driver: 'd.test', volumeHandle: 'h' } } })),
    ),
  })
  .map(({ more, ...parts }): VolumeParts => Object.assign({}, parts, ...more) as VolumeParts);
const claimStep = fc
  .record({
    name: claimName,
    size: fc.constantFrom('1Gi', '2Gi'),
    more: fc.tuple(
      sometimes(fc.record({ className: fc.constantFrom('', 'ghost', ...CLASSES) })),
      sometimes(fc.record({ volumeName: fc.constantFrom('v1', 'v2') })),
    ),
  })
  .map(({ more, ...parts }): ClaimParts => Object.assign({}, parts, ...more) as ClaimParts);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('volume' as const),
      parts: volumeStep,
      of: claimName,
      link: fc.constantFrom('none' as const, 'none' as const, 'name' as const, 'uid' as const),
    }),
  },
  { weight: 5, arbitrary: claimStep.map((parts) => ({ do: 'claim' as const, parts })) },
  { weight: 2, arbitrary: claimStep.map((parts) => ({ do: 'remake' as const, parts })) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('class' as const),
      name: fc.constantFrom(...CLASSES),
      isDefault: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('pod' as const), name: fc.constantFrom('p1', 'p2'), claim: claimName }),
  },
  {
    weight: 4,
    arbitrary: fc.oneof(
      volumeName.map((name) => ({ do: 'delete' as const, kind: 'volume' as const, name })),
      claimName.map((name) => ({ do: 'delete' as const, kind: 'claim' as const, name })),
      fc.constantFrom(...CLASSES).map((name) => ({ do: 'delete' as const, kind: 'class' as const, name })),
      fc.constantFrom('p1', 'p2').map((name) => ({ do: 'delete' as const, kind: 'pod' as const, name })),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('unlink' as const),
      name: volumeName,
      what: fc.constantFrom('claimRef' as const, 'uid' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('policy' as const), name: volumeName, policy }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('fail' as const),
      name: fc.constantFrom('alone', 'c1'),
      forMs: fc.constantFrom(100, 40_000),
    }),
  },
);
const pauses = fc.constantFrom(0, 0, 1, 1000, 5000, 15_000, 20_000);
const stories = fc.array(fc.tuple(step, pauses), { minLength: 3, maxLength: 14 });
type Telling = readonly (readonly [Step, number])[];

/** A deleter that fails now and then, by time alone. */
const pluginOf = (world: StorageWorld): VolumePlugin => ({
  name: 'kubernetes.io/fake',
  canSupport: (volume) => volume.spec.nfs !== undefined,
  delete: () =>
    Math.floor(world.clock.monotonic() / 7000) % 2 === 0 ? Promise.resolve() : Promise.reject(new Error('boom')),
  recycle: () =>
    Math.floor(world.clock.monotonic() / 7000) % 2 === 0 ? Promise.reject(new Error('dust')) : Promise.resolve(),
});

class Play {
  readonly world: StorageWorld;
  /** Keys whose writes fail, and until when. */
  readonly #failing = new Map<string, number>();

  constructor(resyncsAll: boolean, watchMs: number) {
    this.world = new StorageWorld({ watchMs });
    const plugins = [pluginOf(this.world)];
    this.world.start(persistentVolumeController({ resyncsAll, plugins }), (key) => {
      const until = this.#failing.get(key) ?? 0;
      return this.world.clock.monotonic() < until ? conflict(PersistentVolumes, key) : undefined;
    });
  }

  async run(telling: Telling): Promise<{ readonly writes: object; readonly events: readonly string[] }> {
    await this.world.wait(0);
    for (const [each, pause] of telling) {
      await this.#try(each);
      await this.world.wait(pause);
    }
    await this.world.wait(50 * SECOND_MS);
    const writes: Record<string, string[]> = {};
    for (const { at, text } of this.world.writesOf(NAME))
      (writes[text.split(' ')[2] ?? ''] ??= []).push(`${at} ${text}`);
    // Within one instant something may be said once or twice, see above.
    const events = (await this.world.events()).map((event) => event.replace(/ x\d+:/, ':'));
    return { writes, events };
  }

  /** What a user asks for may be refused, in both worlds alike. */
  async #try(each: Step): Promise<void> {
    try {
      await this.#perform(each);
    } catch (error) {
      if (!isApiError(error)) throw error;
    }
  }

  async #perform(each: Step): Promise<unknown> {
    const { world } = this;
    switch (each.do) {
      case 'volume':
        return await world.create(
          PersistentVolumes,
          aVolume({ phase: 'Pending', ...each.parts, ...(await this.#linkOf(each)) }),
        );
      case 'claim':
        return await world.create(PersistentVolumeClaims, aClaim(each.parts));
      case 'remake':
        await this.#delete('claim', each.parts.name ?? '');
        return await world.create(PersistentVolumeClaims, aClaim(each.parts));
      case 'class':
        return await world.create(
          StorageClasses,
          aClass({ name: each.name, isDefault: each.isDefault, wait: each.name === 'wait' }),
        );
      case 'pod':
        return await world.create(Pods, aPod({ name: each.name, claims: [each.claim] }));
      case 'delete':
        return await this.#delete(each.kind, each.name);
      case 'unlink':
        return await world.change(PersistentVolumes, each.name, (volume) => unlinked(volume, each.what));
      case 'policy':
        return await world.change(PersistentVolumes, each.name, (volume) => ({
          ...volume,
          spec: { ...volume.spec, persistentVolumeReclaimPolicy: each.policy },
        }));
      case 'fail': {
        const key = each.name === 'alone' ? each.name : `default/${each.name}`;
        return this.#failing.set(key, world.clock.monotonic() + each.forMs);
      }
    }
  }

  async #linkOf({ of, link, parts }: Extract<Step, { do: 'volume' }>): Promise<VolumeParts> {
    if (parts.name === 'alone') return { className: 'alone', ...(link === 'none' ? {} : { claim: 'gone/1234' }) };
    if (link === 'none') return {};
    if (link === 'name' || of === 'c1') return { claim: of };
    const claim = await this.world.user.get(PersistentVolumeClaims, `default/${of}`);
    return { claim: `${of}/${claim.metadata.uid}` };
  }

  async #delete(kind: 'volume' | 'claim' | 'class' | 'pod', name: string): Promise<unknown> {
    const { user } = this.world;
    switch (kind) {
      case 'volume':
        return await user.delete(PersistentVolumes, name);
      case 'claim':
        return await user.delete(PersistentVolumeClaims, `default/${name}`);
      case 'class':
        return await user.delete(StorageClasses, name);
      case 'pod':
        return await user.delete(Pods, `default/${name}`, { gracePeriodSeconds: 0 });
    }
  }
}

function unlinked(volume: PersistentVolume, what: 'claimRef' | 'uid'): PersistentVolume {
  const { claimRef, ...spec } = volume.spec;
  if (what === 'claimRef' || claimRef === undefined) return { ...volume, spec };
  const { uid: _cleared, ...name } = claimRef;
  return { ...volume, spec: { ...spec, claimRef: name } };
}

describe('P-PV-11 planned resync', () => {
  it.each([1, 3])(
    'any story, watches %i ms late -> the same writes and events as a resync of all keys',
    async (watchMs) => {
      await fc.assert(
        fc.asyncProperty(stories, async (telling) => {
          const planned = await new Play(false, watchMs).run(telling);
          const full = await new Play(true, watchMs).run(telling);
          expect(planned).toEqual(full);
        }),
        { numRuns: 150 },
      );
    },
  );
});
