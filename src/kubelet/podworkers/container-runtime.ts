// The containers of one machine, as a kubelet asks for them. They belong to the machine: they go on when the kubelet dies
// and are there when it returns.
import type { InstantMs } from '../../base/clock.ts';
import type { Disposable } from '../../kube/cluster.ts';
import type { Pod } from '../../kube/resources/pod.ts';

export interface RuntimeContainer {
  readonly name: string;
  readonly id: string;
  readonly image: string;
  readonly restartCount: number;
  readonly startedAt: InstantMs;
  /** Absent while it runs. */
  readonly exit?: { readonly at: InstantMs; readonly code: number };
}
export interface RuntimePod {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** Empty when the pod has been stopped. */
  readonly podIP: string;
  readonly containers: readonly RuntimeContainer[];
}

export interface ContainerRuntime {
  pods(): Iterable<RuntimePod>;
  pod(uid: string): RuntimePod | undefined;
  /** Starts every container that does not run; answers when they do. `onSandbox` is called once there is a network. */
  start(pod: Pod, onSandbox: () => void): Promise<void>;
  /** Ends every container, by force after the grace; answers when none runs. */
  stop(uid: string, graceSeconds: number): Promise<void>;
  /** Forgets a pod whose containers have ended. */
  remove(uid: string): void;
  /** Told of pods whose containers ended by themselves. */
  subscribe(onExit: (uid: string) => void): Disposable;
  /** Told of every end of containers, asked for or not, and of pods that are forgotten. Not every runtime can. */
  observe?(onEnd: () => void): Disposable;
}

export const isRunning = (pod: RuntimePod | undefined): boolean =>
  pod?.containers.some(({ exit }) => exit === undefined) === true;
