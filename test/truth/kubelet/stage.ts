// What the parts of a replay know of it.
import type { Pod } from '../../../src/kube/resources/pod.ts';
import type { KubeletBench } from '../../kubelet/kubelet-bench.ts';
import type { Recording } from './recording.ts';

export interface Stage {
  readonly recording: Recording;
  readonly bench: KubeletBench;
  /** Pods by name, the newest of a name last. */
  readonly pods: ReadonlyMap<string, readonly Pod[]>;
  rootOf(node: string): string;
  /** A text of ours with the placeholders of the recordings. */
  normalised(text: string): string;
  createPod(manifest: Pod, name?: string): Promise<void>;
}
