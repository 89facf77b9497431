// Volumes whose growth waits for somebody else to change the claim. Upstream asks for the claim at every pass, ten times a
// second; here a watch on the one claim tells, and the reconciler looks again at its next pass.
import type { ComponentContext } from '../../runtime/component.ts';
import { SharedInformer } from '../../runtime/informer.ts';
import { splitKey } from '../../kube/object.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import type { Reason } from '../../kube/reason.ts';
import { claimKeyOf } from '../csiplugin/volume-spec.ts';
import type { VolumeToMount } from './desired-state-of-world.ts';

export class ExpansionWaits {
  readonly #context: ComponentContext;
  readonly #onChange: (reason: Reason) => void;
  /** By volume: ends the watch on its claim. */
  readonly #waiting = new Map<string, AbortController>();

  constructor(context: ComponentContext, onChange: (reason: Reason) => void) {
    this.#context = context;
    this.#onChange = onChange;
  }

  isWaiting({ volumeName }: VolumeToMount): boolean {
    return this.#waiting.has(volumeName);
  }

  /** Until the claim is no longer in the version in which it was seen. */
  begin({ volumeName, spec }: VolumeToMount, resourceVersion: string): void {
    const claimKey = claimKeyOf(spec);
    if (claimKey === undefined || this.#waiting.has(volumeName) || this.#context.signal.aborted) return;
    const { namespace = '', name } = splitKey(claimKey);
    const ended = new AbortController();
    this.#waiting.set(volumeName, ended);
    this.#context.signal.addEventListener('abort', () => ended.abort(), { once: true, signal: ended.signal });
    const options = { namespace, fieldSelector: `metadata.name=${name}` };
    const informer = new SharedInformer({ ...this.#context, resource: PersistentVolumeClaims, options });
    informer.subscribe((change, reason) => {
      if (change.type !== 'deleted' && change.object.metadata.resourceVersion === resourceVersion) return;
      this.#end(volumeName, ended);
      this.#onChange(reason);
    });
    informer.start(ended.signal);
  }

  /** What is not wanted any more is not waited for. */
  forget(volumeName: string): void {
    const ended = this.#waiting.get(volumeName);
    if (ended !== undefined) this.#end(volumeName, ended);
  }

  waitingVolumes(): Iterable<string> {
    return this.#waiting.keys();
  }

  #end(volumeName: string, ended: AbortController): void {
    if (this.#waiting.get(volumeName) === ended) this.#waiting.delete(volumeName);
    ended.abort();
  }
}
