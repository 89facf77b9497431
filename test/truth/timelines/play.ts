// Plays a recorded outage in the simulated world: the same workloads, the same phase of the failing node's lease, the same
// actions at the same times, and gathers the same milestones.
import { SECOND_MS } from '../../../src/base/clock.ts';
import { SeededRandom } from '../../../src/base/random.ts';
import type { Commit } from '../../../src/apiserver/apiserver.ts';
import type { Draft } from '../../../src/kube/cluster.ts';
import { type KubeObject, isOf } from '../../../src/kube/object.ts';
import { type Deployment, Deployments } from '../../../src/kube/resources/deployment.ts';
import { type Event, Events } from '../../../src/kube/resources/event.ts';
import { Leases } from '../../../src/kube/resources/lease.ts';
import { type Node, Nodes } from '../../../src/kube/resources/node.ts';
import { type Pod, Pods } from '../../../src/kube/resources/pod.ts';
import { type StatefulSet, StatefulSets } from '../../../src/kube/resources/stateful-set.ts';
import { VolumeAttachments, type VolumeAttachment } from '../../../src/kube/resources/volume-attachment.ts';
import { stageOf } from '../../../src/simulation/fault-stage.ts';
import { ActiveFaults } from '../../../src/simulation/faults/active-faults.ts';
import type { Fault } from '../../../src/simulation/faults/fault.ts';
import type { ClusterShape } from '../../../src/worlds/cluster-shape.ts';
import { DEFAULT_PROFILE } from '../../../src/worlds/profiles.ts';
import { SIMULATION_STARTS_AT, SimulatedWorld } from '../../../src/worlds/simulated.ts';
import {
  type Action,
  type EndPod,
  type Milestones,
  type Recording,
  type Workload,
  eventText,
  isJudged,
} from './recording.ts';

const DRIVER = 'mock.csi.example.com';
const CLASS = 'delayed';
const SETUP_MS = 120 * SECOND_MS;
export interface Played {
  readonly node: Milestones;
  readonly workloads: Readonly<Record<string, Workload>>;
  readonly end: Recording['end'];
}

/** Workloads tolerate a lost node for this long; S9 is the one that differs. */
const tolerationOf = (name: string): number | undefined => (name === 'S9' ? 30 : undefined);

type Manner = Pick<ClusterShape, 'tickless'>;

export async function playRecording(recording: Recording, seed: number, manner: Manner = {}): Promise<Played> {
  return new Stage(recording, seed, manner).play();
}

class Stage {
  readonly #recording: Recording;
  readonly #faults: ActiveFaults;
  readonly #world: SimulatedWorld;
  readonly #diary: Diary;
  #renewedAt = 0;

  constructor(recording: Recording, seed: number, manner: Manner) {
    this.#recording = recording;
    this.#diary = new Diary(recording);
    this.#faults = new ActiveFaults({
      stage: () => stageOf(this.#world),
      random: new SeededRandom(seed).fork('faults'),
    });
    this.#world = new SimulatedWorld({
      shape: { ...shapeOf(recording), ...manner },
      seed,
      aroundDriver: this.#faults.aroundDriver,
      wrapAccess: (access) => this.#faults.wrapAccess(access),
      wrapClock: (clock, component, node) => this.#faults.clockOf(clock, component, node),
      onCommit: (commit) => this.#committed(commit),
    });
  }

  #committed(commit: Commit): void {
    const object = commit.after ?? commit.before;
    if (object === undefined) return;
    if (isOf(Leases, object) && object.metadata.name === this.#recording.failingNode)
      this.#renewedAt = this.#world.clock.now();
    this.#diary.note(commit, this.#world.clock.now());
  }

  async play(): Promise<Played> {
    const { failingNode, lastLeaseRenewal, actions, end } = this.#recording;
    const world = this.#world;
    try {
      world.start();
      await world.advanceTo(SIMULATION_STARTS_AT + 10 * SECOND_MS);
      for (const draft of workloadsOf(this.#recording)) await world.until(createOf(world, draft), SECOND_MS);
      await world.advanceTo(SIMULATION_STARTS_AT + SETUP_MS);
      await this.#untilRenewal();
      const zero = this.#renewedAt - lastLeaseRenewal * SECOND_MS;
      await world.advanceTo(zero);
      this.#diary.begin(zero);
      for (const action of actions) {
        await world.advanceTo(zero + action.t * SECOND_MS);
        await this.#act(action, failingNode);
      }
      await world.advanceTo(zero + end.t * SECOND_MS);
      return { ...this.#diary.read(), end: { t: end.t, ...this.#diary.endState() } };
    } finally {
      world.dispose();
    }
  }

  async #untilRenewal(): Promise<void> {
    const { clock } = this.#world;
    const renewed = this.#renewedAt;
    while (this.#renewedAt === renewed) await clock.step(clock.now() + SECOND_MS);
  }

  readonly #partition: Fault = { type: 'partition', node: '', from: 'api' };

  async #act({ what }: Action, node: string): Promise<void> {
    const user = this.#world.as('operator');
    switch (what) {
      case 'crash':
        return this.#faults.begin({ type: 'node-crash', node });
      case 'partition':
        Object.assign(this.#partition, { node });
        return this.#faults.begin(this.#partition);
      case 'heal':
        return this.#faults.end(this.#partition);
      case 'taint': {
        const taints = [
          ...((await this.#world.until(user.get(Nodes, node), SECOND_MS)).spec.taints ?? []),
          { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' },
        ];
        return void (await this.#world.until(
          user.patch(Nodes, node, { type: 'merge', body: { spec: { taints } } }),
          SECOND_MS,
        ));
      }
      case 'force-delete':
        return void (await this.#world.until(
          user.delete(Pods, this.#diary.keyOfOld(), { gracePeriodSeconds: 0 }),
          SECOND_MS,
        ));
      case 'delete-node':
        return void (await this.#world.until(user.delete(Nodes, node), SECOND_MS));
      case 'drain': {
        // What kubectl takes to start, as recorded.
        await this.#world.advanceTo(this.#world.clock.now() + 0.7 * SECOND_MS);
        await this.#world.until(
          user.patch(Nodes, node, { type: 'merge', body: { spec: { unschedulable: true } } }),
          SECOND_MS,
        );
        const [namespace = '', name = ''] = this.#diary.keyOfOld().split('/');
        const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
        return void (await this.#world.until(user.post(Pods, this.#diary.keyOfOld(), 'eviction', eviction), SECOND_MS));
      }
      default:
        return undefined;
    }
  }
}

/** The failing node shares its zone with one that stays, so that no zone is ever disrupted. */
function shapeOf({ failingNode }: Recording): ClusterShape {
  return {
    profile: DEFAULT_PROFILE,
    nodes: [
      { name: failingNode, zone: 'z1' },
      { name: 'keeper-1', zone: 'z1' },
      { name: 'keeper-2', zone: 'z1' },
      ...['b1', 'b2', 'b3'].map((name) => ({ name, zone: `z-${name}` })),
    ],
    drivers: [
      {
        driver: {
          name: DRIVER,
          capabilities: {
            controller: ['CREATE_DELETE_VOLUME', 'PUBLISH_UNPUBLISH_VOLUME'],
            node: ['STAGE_UNSTAGE_VOLUME'],
          },
        },
      },
    ],
    classes: [{ name: CLASS, provisioner: DRIVER, waitForFirstConsumer: true }],
    settings: {},
  };
}

type AnyWorkload =
  | { readonly kind: 'StatefulSet'; readonly draft: Draft<StatefulSet> }
  | { readonly kind: 'Deployment'; readonly draft: Draft<Deployment>; readonly claim: string };

async function createOf(world: SimulatedWorld, workload: AnyWorkload): Promise<unknown> {
  const user = world.as('operator');
  if (workload.kind === 'StatefulSet') return user.create(StatefulSets, workload.draft);
  const { PersistentVolumeClaims } = await import('../../../src/kube/resources/persistent-volume-claim.ts');
  await user.create(PersistentVolumeClaims, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: workload.claim, namespace: 'default' },
    spec: CLAIM_SPEC,
  });
  return user.create(Deployments, workload.draft);
}

const CLAIM_SPEC = {
  accessModes: ['ReadWriteOnce'],
  storageClassName: CLASS,
  resources: { requests: { storage: '1Gi' } },
};

function workloadsOf(recording: Recording): readonly AnyWorkload[] {
  return Object.entries(recording.workloads).map(([name, { pods }]) => {
    const isStateful = pods[0]?.name === `${name}-0`;
    const metadata = { name, namespace: 'default' };
    const selector = { matchLabels: { app: name } };
    const template = {
      metadata: { labels: { app: name } },
      spec: podSpec(recording, isStateful ? undefined : `data-${name}`),
    };
    if (!isStateful)
      return {
        kind: 'Deployment',
        claim: `data-${name}`,
        draft: { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 1, selector, template } },
      };
    const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: CLAIM_SPEC }];
    return {
      kind: 'StatefulSet',
      draft: {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata,
        spec: { replicas: 1, serviceName: name, selector, template, volumeClaimTemplates },
      },
    };
  });
}

function podSpec(recording: Recording, claimName: string | undefined): object {
  const { failingNode, name } = recording;
  const hostname = 'kubernetes.io/hostname';
  const nodeAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: hostname, operator: 'In', values: [failingNode, 'b1', 'b2', 'b3'] }] },
      ],
    },
    preferredDuringSchedulingIgnoredDuringExecution: [
      { weight: 100, preference: { matchExpressions: [{ key: hostname, operator: 'In', values: [failingNode] }] } },
    ],
  };
  const tolerationSeconds = tolerationOf(name);
  const tolerations = ['not-ready', 'unreachable'].map((key) => ({
    key: `node.kubernetes.io/${key}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds,
  }));
  return {
    affinity: { nodeAffinity },
    ...(tolerationSeconds === undefined ? {} : { tolerations }),
    containers: [{ name: 'c', image: 'img', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
    ...(claimName === undefined ? {} : { volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] }),
  };
}

/** What the milestones are read from: every committed write after zero. */
class Diary {
  readonly #recording: Recording;
  #zero: number | undefined;
  readonly #pods = new Map<
    string,
    { pod: Pod; gone: boolean; readonly wasThere: boolean; readonly milestones: Record<string, number> }
  >();
  readonly #attachments = new Map<
    string,
    { attachment: VolumeAttachment; gone: boolean; readonly milestones: Record<string, number> }
  >();
  readonly #node: Record<string, number> = {};
  readonly #lists: { readonly t: number; readonly node: string; readonly change: string; readonly workload: string }[] =
    [];
  readonly #events = new Map<string, Event>();

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  begin(zero: number): void {
    this.#zero = zero;
  }

  keyOfOld(): string {
    const [first] = [...this.#pods.values()].filter(({ wasThere }) => wasThere);
    return `${first?.pod.metadata.namespace ?? ''}/${first?.pod.metadata.name ?? ''}`;
  }

  note({ before, after }: Commit, now: number): void {
    const object = after ?? before;
    if (object === undefined) return;
    const t = this.#zero === undefined ? undefined : Math.round(now - this.#zero) / SECOND_MS;
    if (isOf(Pods, object)) this.#notePod(before, object, after === undefined, t);
    else if (isOf(VolumeAttachments, object)) this.#noteAttachment(object, after === undefined, t);
    else if (isOf(Nodes, object)) this.#noteNode(before, object, after === undefined, t);
    else if (isOf(Events, object) && t !== undefined && after !== undefined)
      this.#events.set(object.metadata.uid, object);
  }

  #notePod(before: KubeObject | undefined, pod: Pod, gone: boolean, t: number | undefined): void {
    const { uid } = pod.metadata;
    const known = this.#pods.get(uid) ?? { pod, gone, wasThere: t === undefined, milestones: {} };
    this.#pods.set(uid, known);
    known.pod = pod;
    known.gone = gone;
    if (t === undefined) return;
    const set = (name: string, isSo: boolean): void => {
      if (isSo) known.milestones[name] ??= t;
    };
    const old = before !== undefined && isOf(Pods, before) ? before : undefined;
    set('created', old === undefined);
    set('bound', old?.spec.nodeName === undefined && pod.spec.nodeName !== undefined && old !== undefined);
    set('readyFalse', readyOf(pod) === 'False' && readyOf(old) !== 'False');
    set('readyTrue', readyOf(pod) === 'True' && readyOf(old) !== 'True' && old !== undefined);
    set('disruptionTarget', hasCondition(pod, 'DisruptionTarget') && !hasCondition(old, 'DisruptionTarget'));
    set(
      'deletionTimestamp',
      pod.metadata.deletionTimestamp !== undefined && old?.metadata.deletionTimestamp === undefined,
    );
    for (const phase of ['Failed', 'Succeeded', 'Running'])
      set(phase.toLowerCase(), pod.status.phase === phase && old?.status.phase !== phase);
    set('gone', gone);
  }

  #noteAttachment(attachment: VolumeAttachment, gone: boolean, t: number | undefined): void {
    const { uid, deletionTimestamp } = attachment.metadata;
    const isNew = !this.#attachments.has(uid);
    const known = this.#attachments.get(uid) ?? { attachment, gone, milestones: {} };
    this.#attachments.set(uid, known);
    const wasAttached = known.attachment.status.attached && !isNew;
    known.attachment = attachment;
    known.gone = gone;
    if (t === undefined) return;
    if (isNew) known.milestones['created'] = t;
    if (attachment.status.attached && !wasAttached && known.milestones['created'] !== undefined)
      known.milestones['attachedTrue'] ??= t;
    if (deletionTimestamp !== undefined || gone) known.milestones['deletionTimestamp'] ??= t;
    if (gone) known.milestones['gone'] = t;
  }

  #noteNode(before: KubeObject | undefined, node: Node, gone: boolean, t: number | undefined): void {
    if (t === undefined) return;
    const old = before !== undefined && isOf(Nodes, before) ? before : undefined;
    if (!gone) this.#noteLists(old, node, t);
    if (node.metadata.name !== this.#recording.failingNode) return;
    const set = (name: string, isSo: boolean): void => {
      if (isSo) this.#node[name] ??= t;
    };
    set('nodeDeleted', gone);
    set('readyUnknown', nodeReady(node) === 'Unknown' && nodeReady(old) !== 'Unknown');
    const hasTaint = (key: string, effect: string): boolean =>
      (node.spec.taints ?? []).some((taint) => taint.key === `node.kubernetes.io/${key}` && taint.effect === effect);
    set('taintUnreachableNoSchedule', hasTaint('unreachable', 'NoSchedule'));
    set('taintUnreachableNoExecute', hasTaint('unreachable', 'NoExecute'));
    set('taintOutOfService', hasTaint('out-of-service', 'NoExecute'));
  }

  #noteLists(old: Node | undefined, node: Node, t: number): void {
    const name = node.metadata.name;
    const [before, now] = [old?.status.volumesInUse ?? [], node.status.volumesInUse ?? []];
    for (const volume of now)
      if (!before.includes(volume)) this.#lists.push({ t, node: name, change: 'volumesInUse+', workload: volume });
    for (const volume of before)
      if (!now.includes(volume)) this.#lists.push({ t, node: name, change: 'volumesInUse-', workload: volume });
    const attached = (each: Node | undefined): readonly string[] =>
      (each?.status.volumesAttached ?? []).map((volume) => volume.name);
    for (const volume of attached(node))
      if (!attached(old).includes(volume))
        this.#lists.push({ t, node: name, change: 'volumesAttached+', workload: volume });
    for (const volume of attached(old))
      if (!attached(node).includes(volume))
        this.#lists.push({ t, node: name, change: 'volumesAttached-', workload: volume });
  }

  read(): { readonly node: Milestones; readonly workloads: Readonly<Record<string, Workload>> } {
    const workloads = Object.keys(this.#recording.workloads).map((name) => [name, this.#workload(name)]);
    return { node: this.#node, workloads: Object.fromEntries(workloads) as Readonly<Record<string, Workload>> };
  }

  #workload(name: string): Workload {
    const pods = [...this.#pods.values()].filter(({ pod }) => pod.metadata.labels?.['app'] === name);
    const [old = '', fresh = ''] = [
      pods.find(({ wasThere }) => wasThere)?.pod.metadata.name,
      pods.find(({ wasThere }) => !wasThere)?.pod.metadata.name,
    ];
    const claims = new Set(
      pods.flatMap(({ pod }) =>
        (pod.spec.volumes ?? []).map((volume) => volume.persistentVolumeClaim?.claimName ?? ''),
      ),
    );
    const isOurs = ({ involvedObject }: Event): boolean =>
      pods.some(({ pod }) => pod.metadata.name === involvedObject.name) ||
      (involvedObject.name ?? '') === name ||
      ((involvedObject.kind ?? '') === 'ReplicaSet' &&
        (involvedObject.name ?? '').startsWith(`${name}-`) &&
        claims.size > 0);
    const events = [...this.#events.values()].filter(isOurs).map((event) => {
      const source = event.source.component ?? event.reportingComponent;
      const on = `${(event.involvedObject.kind ?? '').toLowerCase()}/${event.involvedObject.name ?? ''}`;
      return {
        source,
        line: eventText(source, on, `${event.type ?? ''} ${event.reason ?? ''}: ${event.message ?? ''}`, {
          old,
          fresh,
        }),
      };
    });
    return {
      pods: pods.map(({ pod, wasThere, milestones }) => ({
        role: wasThere ? 'old' : 'new',
        name: pod.metadata.name,
        node: pod.spec.nodeName ?? '',
        milestones,
      })),
      attachments: [...this.#attachments.values()]
        .filter(({ milestones, gone }) => Object.keys(milestones).length > 0 || !gone)
        .map(({ attachment, milestones }) => ({ node: attachment.spec.nodeName, milestones })),
      lists: this.#lists,
      events: events.filter(({ source }) => isJudged(source)).map(({ line }) => line),
    };
  }

  endState(): { readonly pods: readonly EndPod[]; readonly volumeAttachments: Recording['end']['volumeAttachments'] } {
    const pods = [...this.#pods.values()]
      .filter(({ gone }) => !gone)
      .map(({ pod }) => ({
        name: pod.metadata.name,
        node: pod.spec.nodeName ?? '',
        phase: pod.status.phase ?? '',
        ready: readyOf(pod),
        terminating: pod.metadata.deletionTimestamp !== undefined,
      }));
    const volumeAttachments = [...this.#attachments.values()]
      .filter(({ gone }) => !gone)
      .map(({ attachment }) => ({
        node: attachment.spec.nodeName,
        attached: attachment.status.attached,
        deleting: attachment.metadata.deletionTimestamp !== undefined,
      }));
    return { pods, volumeAttachments };
  }
}

const readyOf = (pod: Pod | undefined): string =>
  pod?.status.conditions?.find(({ type }) => type === 'Ready')?.status ?? '';
const hasCondition = (pod: Pod | undefined, wanted: string): boolean =>
  pod?.status.conditions?.some(({ type, status }) => type === wanted && status === 'True') ?? false;
const nodeReady = (node: Node | undefined): string =>
  node?.status.conditions?.find(({ type }) => type === 'Ready')?.status ?? '';
