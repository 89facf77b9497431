// Keeps a VolumeAttributesClass that is being deleted as long as a claim or a volume names it.
// kubernetes:pkg/controller/volume/vacprotection/vac_protection_controller.go
import { unreachable } from '../../base/assert.ts';
import { withFinalizer, withoutFinalizer } from '../../kube/finalizers.ts';
import { type KubeObject, keyOf } from '../../kube/object.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume, PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { type VolumeAttributesClass, VolumeAttributesClasses } from '../../kube/resources/volume-attributes-class.ts';
import { type Component, type ComponentContext } from '../../runtime/component.ts';
import { type Outcome, startController, trigger } from '../../runtime/controller.ts';
import { type Change } from '../../runtime/informer.ts';
import { informerSet } from '../../runtime/informer-factory.ts';
import { VAC_PROTECTION_FINALIZER } from '../../volume/annotations.ts';
import { protectionOf } from '../../volume/protection.ts';

const NAME = 'volumeattributesclass-protection-controller';
const SETTLED: Outcome = { type: 'settled' };

export function vacProtectionController(): Component {
  return { name: NAME, start };
}

/** What the claim asks for, what it has, and what it is changing to. */
export function classesOfClaim({ spec, status }: PersistentVolumeClaim): readonly string[] {
  const names = [
    spec.volumeAttributesClassName,
    status.currentVolumeAttributesClassName,
    status.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(names.filter((name) => name !== undefined && name !== ''))].filter((name) => name !== undefined);
}

export function classesOfVolume({ spec }: PersistentVolume): readonly string[] {
  const { volumeAttributesClassName: name = '' } = spec;
  return name === '' ? [] : [name];
}

function start(context: ComponentContext): void {
  const informers = informerSet(context);
  const classes = informers.of(VolumeAttributesClasses);
  const claims = informers.of(PersistentVolumeClaims, { attributesClass: classesOfClaim });
  const volumes = informers.of(PersistentVolumes, { attributesClass: classesOfVolume });
  const isUsed = (name: string): boolean =>
    [claims, volumes].some((informer) => informer.by('attributesClass', name).next().done !== true);
  startController({
    context,
    workers: 1,
    waitFor: [informers],
    triggers: [
      trigger(classes, ({ type, object }) => (type === 'deleted' || !needsWork(object) ? [] : [keyOf(object)])),
      trigger(claims, (change) => letGoBy(change, classesOfClaim)),
      trigger(volumes, (change) => letGoBy(change, classesOfVolume)),
    ],
    reconciler: {
      name: NAME,
      kind: VolumeAttributesClasses.kind,
      reconcile: async (key, turn) => {
        const before = classes.get(key);
        const after = before === undefined ? undefined : decideProtection(before, isUsed(key));
        if (after !== undefined && after !== before) await turn.cluster.update(VolumeAttributesClasses, after);
        return SETTLED;
      },
    },
  });
  informers.start();
}

const needsWork = (object: VolumeAttributesClass): boolean =>
  protectionOf(object, VAC_PROTECTION_FINALIZER) !== 'nothing';

/** Classes that the object named and does not name any more. */
function letGoBy<T extends KubeObject>(
  change: Change<T>,
  classesOf: (object: T) => readonly string[],
): readonly string[] {
  switch (change.type) {
    case 'added':
      return [];
    case 'deleted':
      return classesOf(change.object);
    case 'updated': {
      const kept = classesOf(change.object);
      return classesOf(change.before).filter((name) => !kept.includes(name));
    }
    default:
      return unreachable(change);
  }
}

/** What the class becomes; the same object if it stays as it is. */
function decideProtection(object: VolumeAttributesClass, isUsed: boolean): VolumeAttributesClass {
  const protection = protectionOf(object, VAC_PROTECTION_FINALIZER);
  switch (protection) {
    case 'nothing':
      return object;
    case 'protect':
      return withFinalizer(object, VAC_PROTECTION_FINALIZER);
    case 'release if unused':
      return isUsed ? object : withoutFinalizer(object, VAC_PROTECTION_FINALIZER);
    default:
      return unreachable(protection);
  }
}
