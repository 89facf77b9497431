// What the milestones of an outage are read from: every write of one workload's objects, with the time at which it was made.
import { SECOND_MS } from '../../../src/base/clock.ts';
import { type KubeObject, isOf } from '../../../src/kube/object.ts';
import { type Event, Events } from '../../../src/kube/resources/event.ts';
import { type Node, Nodes } from '../../../src/kube/resources/node.ts';
import { type Pod, Pods } from '../../../src/kube/resources/pod.ts';
import { type VolumeAttachment, VolumeAttachments } from '../../../src/kube/resources/volume-attachment.ts';
import { type EndPod, type Milestones, type Recording, type Workload, eventText, isJudged } from './recording.ts';

/** An object before and after a write; without `after` it was deleted. */
export interface Written {
  readonly before?: KubeObject | undefined;
  readonly after?: KubeObject | undefined;
}

export class Diary {
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

  note({ before, after }: Written, now: number): void {
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
