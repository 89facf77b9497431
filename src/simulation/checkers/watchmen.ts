// All checkers over one run. They hear each fact after the scene has taken it in; what they find is kept once each.
import type { Checker, Finding, MakeChecker } from './checker.ts';
import { attachmentReport } from './attachment-report.ts';
import { bindSymmetry } from './bind-symmetry.ts';
import { capacityMonotonic } from './capacity-monotonic.ts';
import { detachAfterUnmount } from './detach-after-unmount.ts';
import { eventImpliesCause } from './event-implies-cause.ts';
import { exclusiveAttachment } from './exclusive-attachment.ts';
import type { Fact } from './fact.ts';
import { finalizerOrder } from './finalizer-order.ts';
import { inUseBeforeMount } from './in-use-before-mount.ts';
import { liveness } from './liveness.ts';
import { noDeleteWithRetain } from './no-delete-with-retain.ts';
import { noLeakedMount } from './no-leaked-mount.ts';
import { noLostVolume } from './no-lost-volume.ts';
import { oneOperationPerVolume } from './one-operation-per-volume.ts';
import { podRemoval } from './pod-removal.ts';
import type { Scene } from './scene.ts';
import { silentWaits } from './silent-waits.ts';
import { singleWriter } from './single-writer.ts';

const CHECKERS: readonly MakeChecker[] = [
  singleWriter,
  bindSymmetry,
  noLostVolume,
  noLeakedMount,
  detachAfterUnmount,
  inUseBeforeMount,
  exclusiveAttachment,
  attachmentReport,
  finalizerOrder,
  capacityMonotonic,
  noDeleteWithRetain,
  oneOperationPerVolume,
  podRemoval,
  silentWaits,
  eventImpliesCause,
  liveness,
];

export class Watchmen {
  readonly scene: Scene;
  readonly #checkers: readonly Checker[];
  /** In the order they were found; the same sentence about the same thing once. */
  readonly #findings = new Map<string, Finding>();

  constructor(scene: Scene, makers: readonly MakeChecker[] = CHECKERS) {
    this.scene = scene;
    this.#checkers = makers.map((make) => {
      const checker: Checker = make(scene, (found) => this.#keep({ ...found, checker: checker.name, at: scene.now }));
      return checker;
    });
  }

  get findings(): readonly Finding[] {
    return [...this.#findings.values()];
  }

  /** Something is broken that upstream keeps whole. */
  get isBroken(): boolean {
    return this.findings.some(({ severity }) => severity === 'violation');
  }

  observe(fact: Fact): void {
    this.scene.observe(fact);
    for (const checker of this.#checkers) checker.observe(fact);
  }

  /** Something is wrong that no checker sees. */
  add(found: Omit<Finding, 'at'>): void {
    this.#keep({ ...found, at: this.scene.now });
  }

  /** What would be wrong if the world came to rest now; nothing of it is kept. */
  trial(): readonly Finding[] {
    const before = new Map(this.#findings);
    this.atRest();
    const found = this.findings.filter((finding) => !before.has(keyOf(finding)));
    this.#findings.clear();
    for (const [key, finding] of before) this.#findings.set(key, finding);
    return found;
  }

  atRest(): void {
    for (const checker of this.#checkers) checker.atRest?.();
  }

  #keep(finding: Finding): void {
    const key = keyOf(finding);
    if (!this.#findings.has(key)) this.#findings.set(key, finding);
  }
}

const keyOf = ({ checker, severity, about, says }: Finding): string => `${checker} ${severity} ${about} ${says}`;
