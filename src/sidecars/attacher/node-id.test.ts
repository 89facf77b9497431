import { describe, expect, it } from 'vitest';
import { aCsiNode, anAttachment } from '../../../test/attachdetach/makers.ts';
import { NODE_ID_ANNOTATION, lastNodeIdOf, nodeIdOf } from './node-id.ts';

const found = (value: string) => ({ type: 'found', value });
const wrong = (message: string) => ({ type: 'wrong', message });
const here = aCsiNode('node1', { 'csi/test': 'id-1' });
const elsewhere = aCsiNode('node1', { 'another.test': 'id-2' });
const noted = anAttachment({ metadata: { annotations: { [NODE_ID_ANNOTATION]: 'annotatedNodeID' } } });

describe('nodeIdOf, to attach', () => {
  it.each([
    ['registered -> its id', here, found('id-1')],
    ['no CSINode -> not found', undefined, wrong('csinode.storage.k8s.io "node1" not found')],
    ['EA-03 CSINode without the driver -> said so', elsewhere, wrong('CSINode node1 does not contain driver csi/test')],
  ] as const)('%s', (_name, csiNode, expected) => expect(nodeIdOf('csi/test', 'node1', csiNode)).toEqual(expected));
});

describe('lastNodeIdOf, to detach', () => {
  it.each([
    ['registered and noted -> the registered one', noted, here, found('id-1')],
    ['EA-06 no CSINode, noted -> the noted one', noted, undefined, found('annotatedNodeID')],
    ['driver gone from the node, noted -> the noted one', noted, elsewhere, found('annotatedNodeID')],
    [
      'EA-06 no CSINode, nothing noted -> not found',
      anAttachment(),
      undefined,
      wrong('csinode.storage.k8s.io "node1" not found'),
    ],
  ] as const)('%s', (_name, attachment, csiNode, expected) =>
    expect(lastNodeIdOf(attachment, csiNode)).toEqual(expected),
  );
});
