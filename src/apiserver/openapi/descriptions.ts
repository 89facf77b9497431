// What `kubectl explain` says of the storage kinds, in our own words. Kinds outside the storage chain tell their fields only.

const CORE = 'io.k8s.api.core.v1';
const STORAGE = 'io.k8s.api.storage.v1';
const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

const MESSAGES: Readonly<Record<string, string>> = {
  [`${CORE}.PersistentVolumeClaim`]: 'A request for storage. It is bound to one volume and is what pods refer to.',
  [`${CORE}.PersistentVolumeClaimSpec`]: 'What storage is wanted, and of which class.',
  [`${CORE}.PersistentVolumeClaimStatus`]: 'What the claim has been given, and how far a change of it has come.',
  [`${CORE}.PersistentVolume`]: 'A piece of storage in the cluster, made by hand or by a provisioner.',
  [`${CORE}.PersistentVolumeSpec`]: 'What the volume is made of, how large it is, and who may use it how.',
  [`${CORE}.PersistentVolumeStatus`]: 'Whether the volume is free, in use, released or broken.',
  [`${CORE}.CSIPersistentVolumeSource`]: 'A volume that a CSI driver serves.',
  [`${STORAGE}.StorageClass`]: 'A kind of storage that claims can ask for, and how it is provisioned.',
  [`${STORAGE}.VolumeAttachment`]: 'The wish, and then the fact, that a volume is attached to a node.',
  [`${STORAGE}.VolumeAttachmentSpec`]: 'Which volume is to be attached where, and by whom.',
  [`${STORAGE}.VolumeAttachmentStatus`]: 'Whether the volume is attached, and what last went wrong.',
  [`${STORAGE}.CSIDriver`]: 'What Kubernetes has to know of a CSI driver before it calls it.',
  [`${STORAGE}.CSIDriverSpec`]: 'Which calls the driver needs and what it wants to be told.',
  [`${STORAGE}.CSINode`]: 'The CSI drivers that are registered on a node.',
  [`${STORAGE}.CSIStorageCapacity`]: 'How much room a class has in one part of the cluster.',
  [`${STORAGE}.VolumeAttributesClass`]: 'Attributes of volumes that can be changed while they are in use.',
};

const FIELDS: Readonly<Record<string, string>> = {
  [`${OBJECT_META}.name`]: 'What the object is called; one of its kind in its namespace has this name.',
  [`${OBJECT_META}.generateName`]: 'What the name begins with, if the server shall find one.',
  [`${OBJECT_META}.namespace`]: 'Where the object is, for kinds that are in namespaces.',
  [`${OBJECT_META}.uid`]: 'Tells the object from all others of the same name, before and after it.',
  [`${OBJECT_META}.resourceVersion`]: 'Changes with every write. An update that sends an old one is refused.',
  [`${OBJECT_META}.generation`]: 'Counts changes of what is wanted.',
  [`${OBJECT_META}.creationTimestamp`]: 'CreationTimestamp is a timestamp of the first write, made by the server.',
  [`${OBJECT_META}.deletionTimestamp`]: 'Since this is set the object is on its way out; nothing brings it back.',
  [`${OBJECT_META}.labels`]: 'Words to select objects by.',
  [`${OBJECT_META}.annotations`]: 'Words for tools, which nothing selects by.',
  [`${OBJECT_META}.ownerReferences`]: 'Objects with which this one goes.',
  [`${OBJECT_META}.finalizers`]: 'Who has something to do before the object goes.',
  [`${OBJECT_META}.managedFields`]: 'Who set which field. Kept by the server.',
  [`${CORE}.PersistentVolumeClaim.spec`]: 'What is wanted. Most of it is fixed once the claim is bound.',
  [`${CORE}.PersistentVolumeClaim.status`]: 'What there is. Written by the system.',
  [`${CORE}.PersistentVolumeClaimSpec.accessModes`]: 'How many nodes or pods may use the volume, and how.',
  [`${CORE}.PersistentVolumeClaimSpec.resources`]:
    'How large the volume has to be at least. May grow, if the class allows it.',
  [`${CORE}.PersistentVolumeClaimSpec.storageClassName`]:
    'Class of the volume. Empty means none; left out means the default class.',
  [`${CORE}.PersistentVolumeClaimSpec.volumeName`]: 'The volume that the claim is bound to.',
  [`${CORE}.PersistentVolumeClaimSpec.volumeMode`]: 'Filesystem, or Block for the bare device.',
  [`${CORE}.PersistentVolumeClaimSpec.selector`]: 'Labels that a volume must have to be considered.',
  [`${CORE}.PersistentVolumeClaimSpec.dataSource`]: 'What the new volume is filled from: a snapshot or another claim.',
  [`${CORE}.PersistentVolumeClaimSpec.dataSourceRef`]: 'The same, for any kind that a populator understands.',
  [`${CORE}.PersistentVolumeClaimSpec.volumeAttributesClassName`]:
    'Class of the attributes that the volume shall have.',
  [`${CORE}.PersistentVolumeClaimStatus.phase`]: 'Pending, Bound or Lost.',
  [`${CORE}.PersistentVolumeClaimStatus.capacity`]: 'How large the volume really is.',
  [`${CORE}.PersistentVolumeClaimStatus.conditions`]: 'What is going on with the volume, such as a resize.',
  [`${CORE}.PersistentVolumeSpec.capacity`]: 'How large the volume is.',
  [`${CORE}.PersistentVolumeSpec.accessModes`]: 'In which ways the volume can be used.',
  [`${CORE}.PersistentVolumeSpec.claimRef`]: 'The claim that the volume belongs to.',
  [`${CORE}.PersistentVolumeSpec.csi`]: 'The driver that serves the volume and the name it knows it by.',
  [`${CORE}.PersistentVolumeSpec.nodeAffinity`]: 'Nodes from which the volume can be reached.',
  [`${CORE}.PersistentVolumeSpec.persistentVolumeReclaimPolicy`]: 'What happens to the volume when its claim is gone.',
  [`${CORE}.PersistentVolumeSpec.storageClassName`]: 'The class that the volume is of; empty for none.',
  [`${CORE}.PersistentVolumeStatus.phase`]: 'Pending, Available, Bound, Released or Failed.',
  [`${STORAGE}.StorageClass.provisioner`]: 'Who makes volumes of this class.',
  [`${STORAGE}.StorageClass.parameters`]: 'What the provisioner is told. Its own words, not checked here.',
  [`${STORAGE}.StorageClass.reclaimPolicy`]: 'What happens to its volumes when their claims are gone.',
  [`${STORAGE}.StorageClass.volumeBindingMode`]: 'Whether a volume is made at once or when a pod needs it.',
  [`${STORAGE}.StorageClass.allowVolumeExpansion`]: 'Whether claims of this class may grow.',
  [`${STORAGE}.StorageClass.allowedTopologies`]: 'Where volumes of this class may be made.',
  [`${STORAGE}.VolumeAttachmentSpec.attacher`]: 'The driver that attaches.',
  [`${STORAGE}.VolumeAttachmentSpec.nodeName`]: 'The node that the volume is attached to.',
  [`${STORAGE}.VolumeAttachmentSpec.source`]: 'The volume.',
  [`${STORAGE}.VolumeAttachmentStatus.attached`]: 'True once the driver has attached the volume.',
  [`${STORAGE}.VolumeAttachmentStatus.attachError`]: 'Why the last attempt to attach failed.',
  [`${STORAGE}.VolumeAttachmentStatus.detachError`]: 'Why the last attempt to detach failed.',
  [`${STORAGE}.CSIDriverSpec.attachRequired`]: 'Whether volumes must be attached to a node before they are mounted.',
  [`${STORAGE}.CSIDriverSpec.podInfoOnMount`]: 'Whether the driver is told which pod a volume is mounted for.',
  [`${STORAGE}.CSIDriverSpec.storageCapacity`]: 'Whether the scheduler looks at how much room the driver reports.',
};

export const describeMessage = (name: string): string | undefined => MESSAGES[name];

export const describeField = (message: string, field: string): string | undefined => FIELDS[`${message}.${field}`];
