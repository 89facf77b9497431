// What a virtual container has to tell: it runs no program, so its log is what happened to it, in sentences.
import { type InstantMs, SECOND_MS, timestamp } from '../../base/clock.ts';
import type { Container } from '../../kube/resources/container.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { claimNameOf } from '../../volume/claim-of-pod.ts';
import type { RuntimeContainer, RuntimePod } from '../podworkers/container-runtime.ts';

export interface LogLine {
  readonly at: InstantMs;
  readonly text: string;
}

export interface LogOptions {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  /** Nothing before it. */
  readonly since?: InstantMs;
}

export type FoundLog =
  | { readonly type: 'lines'; readonly lines: readonly LogLine[]; readonly hasEnded: boolean }
  /** As a kubelet refuses. kubernetes:pkg/kubelet/kubelet_pods.go validateContainerLogStatus, pkg/kubelet/server/server.go */
  | { readonly type: 'refused'; readonly code: 400 | 404; readonly message: string };

export interface LogFacts {
  readonly nodeName: string;
  readonly pod: Pod;
  readonly runtimePod: RuntimePod | undefined;
  readonly container: string;
  readonly previous: boolean;
}

export function logOf(facts: LogFacts): FoundLog {
  const { pod, runtimePod, container: name, previous } = facts;
  const { name: podName } = pod.metadata;
  const { containers, initContainers = [], ephemeralContainers = [] } = pod.spec;
  const isInit = initContainers.some((each) => each.name === name);
  const isKnown = isInit || [...containers, ...ephemeralContainers].some((each) => each.name === name);
  if (!isKnown) return { type: 'refused', code: 404, message: `container "${name}" not found in pod "${podName}"` };
  if (previous) return refused(`previous terminated container "${name}" in pod "${podName}" not found`);
  const container = runtimePod?.containers.find((each) => each.name === (isInit ? containers[0]?.name : name));
  if (container === undefined) {
    const why = initContainers.length === 0 ? 'ContainerCreating' : 'PodInitializing';
    return refused(`container "${name}" in pod "${podName}" is waiting to start: ${why}`);
  }
  return isInit ? initLog(facts, container) : containerLog(facts, container);
}

const refused = (message: string): FoundLog => ({ type: 'refused', code: 400, message });

/** Init containers end as soon as the pod has a sandbox. */
function initLog({ nodeName, container: name }: LogFacts, { startedAt: at }: RuntimeContainer): FoundLog {
  const lines = [...virtualLines(nodeName, at), { at, text: `Init container ${name} succeeded at ${timestamp(at)}.` }];
  return { type: 'lines', lines, hasEnded: true };
}

function containerLog({ nodeName, pod, container: name }: LogFacts, runs: RuntimeContainer): FoundLog {
  const { startedAt: at, restartCount, exit, image } = runs;
  const again = restartCount === 0 ? '' : `, for the ${ordinal(restartCount + 1)} time`;
  const spec = pod.spec.containers.find((each) => each.name === name);
  const lines = [
    ...virtualLines(nodeName, at),
    { at, text: `Container ${name} (image ${image}) started at ${timestamp(at)}${again}.` },
    ...mountLines(pod, spec).map((text) => ({ at, text })),
    ...(exit === undefined
      ? []
      : [{ at: exit.at, text: `Container ${name} ended at ${timestamp(exit.at)} with exit code ${exit.code}.` }]),
  ];
  return { type: 'lines', lines, hasEnded: exit !== undefined };
}

const virtualLines = (node: string, at: InstantMs): readonly LogLine[] => [
  { at, text: `${node} is a virtual node: its volumes are staged and published, but its containers run no program.` },
  { at, text: 'This log tells what happened to the container instead.' },
];

/** Volumes of claims; the others are nobody's concern here. */
function mountLines(pod: Pod, spec: Container | undefined): readonly string[] {
  const claimed = (name: string, is: string): readonly string[] => {
    const source = pod.spec.volumes?.find((each) => each.name === name);
    const claim = source && claimNameOf(pod, source);
    return claim === undefined ? [] : [`Volume ${name} (claim ${claim}) is ${is}.`];
  };
  const mounts = (spec?.volumeMounts ?? []).flatMap(({ name, mountPath }) => claimed(name, `mounted at ${mountPath}`));
  const devices = (spec?.volumeDevices ?? []).flatMap(({ name, devicePath }) =>
    claimed(name, `the device ${devicePath}`),
  );
  return [...mounts, ...devices];
}

const ordinal = (count: number): string => {
  const isTeen = count % 100 >= 11 && count % 100 <= 13;
  return `${count}${isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th')}`;
};

/** The part of the log that was asked for, as text. */
export function logText(lines: readonly LogLine[], options: LogOptions): string {
  const { since = 0, tailLines = lines.length, limitBytes, timestamps } = options;
  // Logs are kept by the second, so what happened in the second asked for belongs to it.
  const recent = lines.filter(({ at }) => at >= Math.floor(since / SECOND_MS) * SECOND_MS);
  const tail = tailLines >= recent.length ? recent : recent.slice(recent.length - tailLines);
  const text = tail.map(({ at, text: line }) => `${timestamps ? `${timestamp(at)} ` : ''}${line}\n`).join('');
  return limitBytes === undefined ? text : text.slice(0, limitBytes);
}

/** Undefined: they make no sense. */
export function logOptionsOf(query: URLSearchParams, now: InstantMs): LogOptions | undefined {
  const numbers = ['tailLines', 'limitBytes', 'sinceSeconds'].map((name) => countIn(query, name));
  const [tailLines, limitBytes, sinceSeconds] = numbers;
  const sinceTime = query.get('sinceTime');
  const since = sinceTime === null ? now - (sinceSeconds ?? 0) * SECOND_MS : Date.parse(sinceTime);
  if (numbers.some((value) => Number.isNaN(value)) || Number.isNaN(since)) return undefined;
  const flag = (name: string): boolean => query.get(name) === 'true' || query.get(name) === '1';
  return {
    follow: flag('follow'),
    previous: flag('previous'),
    timestamps: flag('timestamps'),
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    ...(sinceTime === null && sinceSeconds === undefined ? {} : { since }),
  };
}

function countIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}
