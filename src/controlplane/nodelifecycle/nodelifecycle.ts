import { Nodes } from '../../kube/resources/node.ts';
import type { Component } from '../../runtime/component.ts';
import { InformerFactory } from '../../runtime/informer-factory.ts';
import { startNodeUpdates } from './node-updates.ts';
import { NodeWrites } from './node-writes.ts';
import type { NodeLifecycleSettings } from './settings.ts';

export function nodeLifecycleController(_settings: NodeLifecycleSettings = {}): Component {
  return {
    name: 'node-lifecycle-controller',
    start: (context) => {
      const informers = new InformerFactory(context);
      const nodes = informers.of(Nodes);
      startNodeUpdates({ context, nodes, writes: new NodeWrites(context), waitFor: [informers] });
      informers.start();
    },
  };
}
