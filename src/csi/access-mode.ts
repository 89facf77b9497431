import type { AccessMode } from './driver.ts';

export type CsiAccessMode =
  | { readonly type: 'mode'; readonly mode: AccessMode }
  | { readonly type: 'impossible'; readonly message: string };

/**
 * The one CSI mode that stands for the access modes of a volume. A driver that knows SINGLE_NODE_MULTI_WRITER is told
 * the newer pair of modes, which tells ReadWriteOnce from ReadWriteOncePod. csi-lib-utils:accessmodes/access_modes.go
 */
export function csiAccessMode(modes: readonly string[], supportsSingleNodeMultiWriter: boolean): CsiAccessMode {
  const wanted = new Set(modes);
  if (wanted.has('ReadWriteOncePod')) {
    if (wanted.size > 1) return impossible(POD_WITH_OTHERS);
    return { type: 'mode', mode: supportsSingleNodeMultiWriter ? 'SINGLE_NODE_SINGLE_WRITER' : 'SINGLE_NODE_WRITER' };
  }
  if (wanted.has('ReadWriteMany')) return { type: 'mode', mode: 'MULTI_NODE_MULTI_WRITER' };
  if (wanted.has('ReadOnlyMany') && wanted.has('ReadWriteOnce')) return impossible(ONCE_WITH_READ_ONLY);
  if (wanted.has('ReadOnlyMany')) return { type: 'mode', mode: 'MULTI_NODE_READER_ONLY' };
  if (wanted.has('ReadWriteOnce')) {
    return { type: 'mode', mode: supportsSingleNodeMultiWriter ? 'SINGLE_NODE_MULTI_WRITER' : 'SINGLE_NODE_WRITER' };
  }
  return impossible(`unsupported AccessMode combination: [${modes.join(' ')}]`);
}

const POD_WITH_OTHERS =
  'Kubernetes does not support use of ReadWriteOncePod with other access modes on the same PersistentVolume';
const ONCE_WITH_READ_ONLY = 'CSI does not support ReadOnlyMany and ReadWriteOnce on the same PersistentVolume';

const impossible = (message: string): CsiAccessMode => ({ type: 'impossible', message });
