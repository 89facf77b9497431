import { describe, expect, it } from 'vitest';
import { type KubeObject, keyOf } from '../../../kube/object.ts';
import type { PersistentVolumeClaim } from '../../../kube/resources/persistent-volume-claim.ts';
import type { PersistentVolume } from '../../../kube/resources/persistent-volume.ts';
import { SELECTED_NODE } from '../../../volume/annotations.ts';
import { aClaim, aVolume } from '../../../volume/makers.ts';
import { aNode, aWorkload } from '../../../../test/scheduler/makers.ts';
import { type ServerView, decideProgress } from './binding-progress.ts';
import type { PodVolumes } from './pod-volumes.ts';

interface Shown {
  readonly claims?: readonly PersistentVolumeClaim[];
  readonly volumes?: readonly PersistentVolume[];
  readonly isPodGone?: boolean;
  readonly isNodeGone?: boolean;
}

const pod = aWorkload({ name: 'user' });
const readerOf = <T extends KubeObject>(objects: readonly T[]) => new Map(objects.map((each) => [keyOf(each), each]));

function progress(volumes: Partial<PodVolumes>, shown: Shown) {
  const server: ServerView = {
    pods: readerOf(shown.isPodGone === true ? [] : [pod]),
    nodes: readerOf(shown.isNodeGone === true ? [] : [aNode()]),
    claims: readerOf(shown.claims ?? []),
    volumes: readerOf(shown.volumes ?? []),
  };
  return decideProgress({ pod, node: 'n1', volumes: { bindings: [], provisions: [], ...volumes } }, server);
}

const selected = { annotations: { [SELECTED_NODE]: 'n1' } };
const written = aClaim({ className: 'wait', resourceVersion: '7', ...selected });
const dynamic = { provisions: [written] };
const bindingOf = (volume: PersistentVolume) => ({ bindings: [{ claim: aClaim({ className: 'wait' }), volume }] });
const prebound = aVolume({ className: 'wait', claim: 'c/u', resourceVersion: '5' });
const fixed = bindingOf(prebound);
const elsewhere = {
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['n2'] }] }],
    },
  },
};
const mismatch = `pv "v" node affinity doesn't match node "n1": no matching NodeSelectorTerms`;
const failed = (message: string) => ({ type: 'failed', message });
const done = { type: 'done' };

const rows: readonly (readonly [string, Partial<PodVolumes>, Shown, object])[] = [
  ['node gone -> failed', dynamic, { isNodeGone: true }, failed('failed to get node "n1": node "n1" not found')],
  ['pod gone -> failed', dynamic, { isPodGone: true }, failed('pod does not exist any more: pod "user" not found')],
  [
    'T70 selected-node taken away -> provisioning failed',
    dynamic,
    { claims: [aClaim({ resourceVersion: '8', annotations: { other: 'x' } })] },
    failed('provisioning failed for PVC "c"'),
  ],
  [
    'T70 selected-node set to another node -> provisioning failed',
    dynamic,
    { claims: [aClaim({ resourceVersion: '8', annotations: { [SELECTED_NODE]: 'n2' } })] },
    failed('provisioning failed for PVC "c"'),
  ],
  [
    'all annotations gone -> reset',
    dynamic,
    { claims: [aClaim({ resourceVersion: '8' })] },
    failed('selectedNode annotation reset for PVC "c"'),
  ],
  [
    'claim gone -> failed, named by its key',
    dynamic,
    {},
    failed('failed to check provisioning pvc: persistentvolumeclaims "default/c" not found'),
  ],
  [
    'own write not seen yet, compared as integers -> waits',
    { provisions: [aClaim({ resourceVersion: '10', ...selected })] },
    { claims: [aClaim({ resourceVersion: '9' })] },
    { type: 'waiting', for: 'PersistentVolumeClaim default/c as written' },
  ],
  [
    'not provisioned yet -> waits',
    dynamic,
    { claims: [written] },
    { type: 'waiting', for: 'PersistentVolumeClaim default/c to be provisioned and bound' },
  ],
  [
    'volume named but not seen yet -> waits',
    dynamic,
    { claims: [aClaim({ resourceVersion: '8', volumeName: 'v', bc: true, ...selected })] },
    { type: 'waiting', for: 'PersistentVolume v to appear' },
  ],
  [
    'volume made for another node -> failed',
    dynamic,
    {
      claims: [aClaim({ resourceVersion: '8', volumeName: 'v', bc: true, ...selected })],
      volumes: [aVolume({ spec: elsewhere })],
    },
    failed(mismatch),
  ],
  [
    'provisioned and bound -> done',
    dynamic,
    { claims: [aClaim({ resourceVersion: '8', volumeName: 'v', bc: true, ...selected })], volumes: [aVolume()] },
    done,
  ],
  [
    'volume to bind gone -> failed',
    fixed,
    { claims: [aClaim()] },
    failed('failed to check binding: persistentvolumes "v" not found'),
  ],
  [
    'claim to bind gone -> failed',
    fixed,
    { volumes: [prebound] },
    failed('failed to check binding: persistentvolumeclaims "default/c" not found'),
  ],
  [
    'volume unbound by its controller -> reset',
    fixed,
    { claims: [aClaim()], volumes: [aVolume({ resourceVersion: '6', claim: 'c' })] },
    failed('ClaimRef got reset for pv "v"'),
  ],
  [
    'volume moved away meanwhile -> failed',
    fixed,
    { claims: [aClaim()], volumes: [aVolume({ resourceVersion: '6', claim: 'c/u', spec: elsewhere })] },
    failed(mismatch),
  ],
  [
    'claim named but bind not completed -> waits',
    fixed,
    { claims: [aClaim({ volumeName: 'v' })], volumes: [prebound] },
    { type: 'waiting', for: 'PersistentVolumeClaim default/c to be bound' },
  ],
  ['both halves bound -> done', fixed, { claims: [aClaim({ volumeName: 'v', bc: true })], volumes: [prebound] }, done],
];

describe('decideProgress', () => {
  it.each(rows)('%s', (_, volumes, shown, expected) => {
    expect(progress(volumes, shown)).toEqual(expected);
  });
});
