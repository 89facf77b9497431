// A cluster in which one component misbehaves, for tests that a checker sees it: a pod with a volume runs after a minute,
// and then the rogue does its deed.
import { MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import type { CsiCall, CsiDriver, VolumeCapability } from '../../csi/driver.ts';
import type { PersistentVolume } from '../../kube/resources/persistent-volume.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import { supervise } from '../../runtime/supervise.ts';
import type { Surroundings } from '../../worlds/components.ts';
import { runStory } from '../run-story.ts';
import { readStory } from '../story-file.ts';
import type { Finding } from './checker.ts';

/** After the start of the world: the pod runs by then. */
const DEED_MS = 65 * SECOND_MS;

export const DRIVER = 'disk.example.com';
export const CAPABILITY: VolumeCapability = {
  accessType: { case: 'mount', fsType: 'ext4', mountFlags: [] },
  accessMode: 'SINGLE_NODE_WRITER',
};

export interface Deed {
  readonly context: ComponentContext;
  readonly driver: CsiDriver;
  /** Of the claim `data` of the pod `web`, which runs on node-a. */
  readonly volume: PersistentVolume;
  readonly handle: string;
  readonly call: CsiCall;
  readonly machines: Surroundings['machines'];
}

export interface RogueOptions {
  /** In whose place it runs; absent: beside all others. */
  readonly name?: string;
  /** Further fields of the story, indented for its top level. */
  readonly story?: string;
  /** Further steps of the story. */
  readonly steps?: string;
  /** Further fields of the driver. */
  readonly driver?: string;
  readonly reclaimPolicy?: 'Delete' | 'Retain';
  /** Acts from the start instead of when the pod runs: there is no volume yet. */
  readonly fromStart?: (context: ComponentContext, driver: CsiDriver) => Promise<unknown>;
}

/** What the checkers of a whole run found, as `checker severity`, and the sentences of one of them. */
export async function findingsWith(
  deed: (deed: Deed) => Promise<unknown>,
  options: RogueOptions = {},
): Promise<readonly Finding[]> {
  const text = storyText(options);
  const run = await runStory(readStory('rogue.yaml', text), 1, {
    components: ({ drivers, machines }) => {
      const driver = drivers.find(({ name }) => name === DRIVER);
      if (driver === undefined) throw new Error('no driver');
      const act = async (context: ComponentContext): Promise<void> => {
        if (options.fromStart !== undefined) await options.fromStart(context, driver);
        else await deed({ ...(await prepare(context, driver)), machines });
      };
      const name = options.name ?? 'rogue';
      return [
        {
          component: { name, start: (context) => supervise(name, act(context), context.log) },
          program: 'kube-controller-manager',
        },
      ];
    },
  });
  return run.findings;
}

async function prepare(context: ComponentContext, driver: CsiDriver): Promise<Omit<Deed, 'machines'>> {
  await context.clock.sleep(DEED_MS, context.signal);
  const claim = await context.cluster.get(PersistentVolumeClaims, 'default/data');
  const volume = await context.cluster.get(PersistentVolumes, claim.spec.volumeName ?? '');
  return {
    context,
    driver,
    volume,
    handle: volume.spec.csi?.volumeHandle ?? '',
    call: { signal: context.signal, deadlineMs: MINUTE_MS },
  };
}

const storyText = ({
  story = '',
  steps = '',
  driver = '',
  reclaimPolicy = 'Delete',
}: RogueOptions): string => `name: rogue
about: One component misbehaves.
lasts: 75s
${story}
cluster:
  nodes: 2
  drivers: [{ name: ${DRIVER}, latency: 20ms${driver} }]
  classes: [{ name: fast, driver: ${DRIVER}, reclaimPolicy: ${reclaimPolicy}, allowVolumeExpansion: true }]
steps:
  - at: 1s
    apply:
      kind: PersistentVolumeClaim
      metadata: { name: data }
      spec: { accessModes: [ReadWriteOnce], storageClassName: fast, resources: { requests: { storage: 1Gi } } }
  - at: 2s
    apply:
      kind: Pod
      metadata: { name: web }
      spec:
        nodeSelector: { kubernetes.io/hostname: node-a }
        containers: [{ name: main, image: app, volumeMounts: [{ name: data, mountPath: /data }] }]
        volumes: [{ name: data, persistentVolumeClaim: { claimName: data } }]
${steps}
`;

/** The findings of one checker, each as severity and sentence. */
export const told = (findings: readonly Finding[], checker: string): readonly string[] =>
  findings.filter((each) => each.checker === checker).map(({ severity, says }) => `${severity}: ${says}`);
