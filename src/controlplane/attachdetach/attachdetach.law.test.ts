import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Node } from '../../kube/resources/node.ts';
import type { VolumeAttachment } from '../../kube/resources/volume-attachment.ts';
import { play, script } from '../../../test/attachdetach/attach-story.ts';
import type { AttachWorld } from '../../../test/attachdetach/attach-world.ts';
import { uniqueNameOf } from '../../../test/attachdetach/attach-world.ts';

const seen = async (world: AttachWorld) => ({
  writes: world.writes,
  calls: world.calls,
  forced: world.forced,
  attachments: await world.attachments(),
});

it('P-AD-12 any story -> looking at volumes that changed shows the same, at the same times, as looking at all of them in every pass', async () => {
  await fc.assert(
    fc.asyncProperty(script, async (steps) => {
      const some = await seen(await play(steps));
      expect(some).toEqual(await seen(await play(steps, { settings: { looksAtAll: true } })));
    }),
    { numRuns: 40 },
  );
}, 60_000);

it('P-AD-3 any story -> no second attachment of an exclusive volume is made while a node reports the first', async () => {
  await fc.assert(
    fc.asyncProperty(script, fc.constantFrom('sorted' as const, 'shuffled' as const), async (steps, passOrder) => {
      const reporting = new Set<string>();
      const twice: string[] = [];
      // Who takes an attachment away behind the controller's back is not what this law is about.
      const fair = steps.filter(([, step]) => step.do !== 'delete-attachment');
      await play(fair, {
        settings: { passOrder },
        onWrite: (before, after) => {
          if (isNode(before) || isNode(after)) noteReport(reporting, before, after);
          if (before !== undefined || !isAttachment(after) || after.spec.source.persistentVolumeName !== 'v') return;
          const others = [...reporting].filter((node) => node !== after.spec.nodeName);
          if (others.length > 0) twice.push(`${after.spec.nodeName} beside ${others.join()}`);
        },
      });
      expect(twice).toEqual([]);
    }),
    { numRuns: 60 },
  );
}, 60_000);

type Seen = { readonly kind: string } | undefined;
const isNode = (object: Seen): object is Node => object?.kind === 'Node';
const isAttachment = (object: Seen): object is VolumeAttachment => object?.kind === 'VolumeAttachment';

/** Keeps the names of the nodes that report v. */
function noteReport(reporting: Set<string>, before: Seen, after: Seen): void {
  if (isNode(before)) reporting.delete(before.metadata.name);
  const listed = isNode(after) ? (after.status.volumesAttached ?? []) : [];
  if (isNode(after) && listed.some(({ name }) => name === uniqueNameOf('v'))) reporting.add(after.metadata.name);
}
