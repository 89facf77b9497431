// Events of this controller. kubernetes:pkg/controller/util/node/controller_utils.go
import type { KubeObject } from '../../kube/object.ts';
import type { Node } from '../../kube/resources/node.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { Recorder } from '../../runtime/recorder.ts';

/** Where its Events come from. */
export const EVENT_COMPONENT = 'node-controller';

export class NodeEvents {
  readonly #recorder: Recorder;

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  registered(node: Node): void {
    const { name } = node.metadata;
    this.#aboutNode(node, 'RegisteredNode', `Node ${name} event: Registered Node ${name} in Controller`);
  }

  removed(node: Node): void {
    const { name } = node.metadata;
    this.#aboutNode(node, 'RemovingNode', `Node ${name} event: Removing Node ${name} from Controller`);
  }

  notReady(node: Node): void {
    this.#aboutNode(node, 'NodeNotReady', `Node ${node.metadata.name} status is now: NodeNotReady`);
  }

  podNotReady(pod: Pod): void {
    this.#recorder.event(pod, 'Warning', 'NodeNotReady', 'Node is not ready');
  }

  #aboutNode({ metadata: { name, uid } }: Node, reason: string, message: string): void {
    // The reference has no resource version: it is made from name and uid alone.
    const about: KubeObject = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, uid, resourceVersion: '', creationTimestamp: '' },
    };
    this.#recorder.event(about, 'Normal', reason, message);
  }
}
