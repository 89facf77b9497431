// Some sentences print a value with the field names of upstream's Go types instead of the names on the wire. This gives a
// value those names, so that messages look as users know them.

/** Names that Go writes other than with a capital first letter. */
const GO_NAMES: Readonly<Record<string, string>> = {
  csi: 'CSI',
  nfs: 'NFS',
  iscsi: 'ISCSI',
  fc: 'FC',
  rbd: 'RBD',
  cephfs: 'CephFS',
  fsType: 'FSType',
  iqn: 'IQN',
  uid: 'UID',
};

export function goStruct(value: unknown): unknown {
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.map(goStruct);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [goName(key), goStruct(field)]));
}

const goName = (key: string): string => GO_NAMES[key] ?? `${key.charAt(0).toUpperCase()}${key.slice(1)}`;
