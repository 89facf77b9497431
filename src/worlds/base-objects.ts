// The objects that a cluster of a given shape has before anybody does anything: drivers and classes.
import type { Draft } from '../kube/cluster.ts';
import type { KubeObject, Resource } from '../kube/object.ts';
import { CSIDrivers } from '../kube/resources/csi-driver.ts';
import { StorageClasses } from '../kube/resources/storage-class.ts';
import { VolumeAttributesClasses } from '../kube/resources/volume-attributes-class.ts';
import type { AttributesClassShape, ClassShape, ClusterShape, DriverShape } from './cluster-shape.ts';

export interface BaseObject {
  readonly resource: Resource<KubeObject>;
  readonly object: Draft<KubeObject>;
}

export function baseObjects(shape: ClusterShape): readonly BaseObject[] {
  const { drivers, classes, attributesClasses = [] } = shape;
  return [...drivers.map(driverObject), ...classes.map(classObject), ...attributesClasses.map(attributesClassObject)];
}

function driverObject({ driver, attachRequired, storageCapacity }: DriverShape): BaseObject {
  return base(CSIDrivers, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: driver.name },
    spec: { attachRequired: attachRequired ?? true, ...(storageCapacity === undefined ? {} : { storageCapacity }) },
  });
}

function classObject(shape: ClassShape): BaseObject {
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  const { name, provisioner, parameters, reclaimPolicy, allowVolumeExpansion, mountOptions } = shape;
  return base(StorageClasses, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name, ...(shape.default === true ? { annotations } : {}) },
    provisioner,
    volumeBindingMode: shape.waitForFirstConsumer === true ? 'WaitForFirstConsumer' : 'Immediate',
    ...(parameters === undefined ? {} : { parameters }),
    ...(reclaimPolicy === undefined ? {} : { reclaimPolicy }),
    ...(allowVolumeExpansion === undefined ? {} : { allowVolumeExpansion }),
    ...(mountOptions === undefined ? {} : { mountOptions }),
  });
}

function attributesClassObject({ name, driverName, parameters }: AttributesClassShape): BaseObject {
  return base(VolumeAttributesClasses, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttributesClass',
    metadata: { name },
    driverName,
    ...(parameters === undefined ? {} : { parameters }),
  });
}

function base<T extends KubeObject>(resource: Resource<T>, object: Draft<T>): BaseObject {
  return { resource, object };
}
