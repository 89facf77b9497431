// An Event claims that something happened; it must have. The table knows what must be so, or have been so, for each reason.
import { type KubeObject, isOf, keyFrom } from '../../kube/object.ts';
import type { Event } from '../../kube/resources/event.ts';
import { Nodes } from '../../kube/resources/node.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { VolumeAttachments } from '../../kube/resources/volume-attachment.ts';
import type { MakeChecker } from './checker.ts';
import type { CommittedWrite } from './fact.ts';

/** What has been so at some time, in words that the table asks for. */
class History {
  readonly #been = new Set<string>();

  has(...words: readonly string[]): boolean {
    return this.#been.has(words.join(' '));
  }

  write({ after }: CommittedWrite): void {
    if (after === undefined) return;
    for (const words of sayings(after)) this.#been.add(words);
  }
}

/** What an object says by being so. */
function sayings(object: KubeObject): readonly string[] {
  if (isOf(VolumeAttachments, object)) {
    const { source, nodeName } = object.spec;
    const volume = source.persistentVolumeName ?? '';
    return object.status.attached ? [`attached ${volume} ${nodeName}`, `attached ${volume}`] : [];
  }
  if (isOf(PersistentVolumes, object)) {
    const uid = object.spec.claimRef?.uid;
    return uid === undefined ? [] : [`made for ${uid}`];
  }
  if (isOf(Nodes, object)) {
    const { name } = object.metadata;
    const ready = object.status.conditions?.find(({ type }) => type === 'Ready')?.status;
    const isTainted = object.spec.taints?.some(({ effect }) => effect === 'NoExecute') ?? false;
    return [...(ready === 'True' ? [] : [`not ready ${name}`]), ...(isTainted ? [`evicts ${name}`] : [])];
  }
  if (isOf(Pods, object)) {
    const { nodeName = '' } = object.spec;
    const { uid, namespace, name } = object.metadata;
    if (nodeName === '') return [];
    return [`placed ${uid} ${nodeName}`, `placed ${uid}`, `placed pod ${keyFrom(namespace, name)}`];
  }
  return [];
}

interface Told {
  readonly event: Event;
  readonly history: History;
  /** The node of the pod that the Event is about. */
  readonly node: string;
}
/** Undefined if all is well; else what is missing. */
type Rule = (told: Told) => string | undefined;

const volumeIn = ({ message = '' }: Event): string => /volume "([^"]+)"/.exec(message)?.[1] ?? '';

/** Pods of its own namespace that a conflict over a volume names: `already used by pod(s) a, b and 2 pod(s) in …`. */
function usersIn({ message = '', involvedObject }: Event): readonly string[] {
  const [, names = ''] =
    /already used by pod\(s\) (.*?)(?: and \d+ pod\(s\) in different namespaces)?$/.exec(message) ?? [];
  return names === '' ? [] : names.split(', ').map((name) => keyFrom(involvedObject.namespace, name));
}

const RULES: Readonly<Record<string, Rule>> = {
  SuccessfulAttachVolume: ({ event, history, node }) =>
    history.has('attached', volumeIn(event), node) ? undefined : `${volumeIn(event)} was never attached to ${node}`,
  FailedAttachVolume: ({ event, history }) => {
    const isConflict = /^(Multi-Attach error|Waiting for detach)/.test(event.message ?? '');
    if (!isConflict) return undefined;
    if (!history.has('attached', volumeIn(event))) return `${volumeIn(event)} was never attached to any node`;
    const stranger = usersIn(event).find((pod) => !history.has('placed pod', pod));
    return stranger === undefined ? undefined : `pod/${stranger}, which it names, never had a node`;
  },
  ProvisioningSucceeded: ({ event, history }) =>
    history.has('made for', event.involvedObject.uid ?? '') ? undefined : 'no volume was ever made for it',
  Scheduled: ({ event, history }) =>
    history.has('placed', event.involvedObject.uid ?? '') ? undefined : 'it was never given a node',
  NodeNotReady: ({ event, history, node }) => {
    const subject = event.involvedObject.kind === 'Node' ? (event.involvedObject.name ?? '') : node;
    return history.has('not ready', subject) ? undefined : `${subject} was never not ready`;
  },
  TaintManagerEviction: ({ event, history, node }) => {
    const isMarked = (event.message ?? '').startsWith('Marking for deletion');
    return !isMarked || node === '' || history.has('evicts', node) ? undefined : `${node} never had a NoExecute taint`;
  },
};

export const eventImpliesCause: MakeChecker = (_scene, tell) => {
  const history = new History();
  /** Nodes of pods that are gone, by uid: an Event may come after its pod went. */
  const nodes = new Map<string, string>();
  return {
    name: 'event-implies-cause',
    observe(fact) {
      if (fact.type === 'entry' && fact.entry.because !== null && fact.entry.because >= fact.entry.number) {
        const says = `entry ${fact.entry.number} names entry ${fact.entry.because} as its cause, which came later`;
        tell({ severity: 'violation', about: fact.entry.key, says });
      }
      if (fact.type !== 'write') return;
      history.write(fact);
      const { after } = fact;
      if (after === undefined) return;
      if (isOf(Pods, after)) nodes.set(after.metadata.uid, after.spec.nodeName ?? '');
      if (after.kind !== 'Event') return;
      const event = after as Event;
      const { kind = '', namespace, name = '', uid = '' } = event.involvedObject;
      const missing = RULES[event.reason ?? '']?.({ event, history, node: nodes.get(uid) ?? '' });
      if (missing === undefined) return;
      tell({
        severity: 'violation',
        about: `${kind} ${keyFrom(namespace, name)}`,
        says: `the Event ${event.reason ?? ''} was written, but ${missing}`,
      });
    },
  };
};
