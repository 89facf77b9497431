import type { Log } from '../../base/log.ts';
import type { Node } from '../../kube/resources/node.ts';
import type { Recorder } from '../../runtime/recorder.ts';
import type { CsiServices } from '../csiplugin/csi-services.ts';
import type { ActualStateOfWorld } from './actual-state-of-world.ts';

/** kubernetes:pkg/kubelet/volumemanager/metrics/metrics.go */
export type VolumeMetric =
  | 'reconstruct_volume_operations_total'
  | 'reconstruct_volume_operations_errors_total'
  | 'force_cleaned_failed_volume_operations_total'
  | 'force_cleaned_failed_volume_operation_errors_total';

/** What the operations of the volume manager work with. */
export interface VolumeServices extends CsiServices {
  readonly log: Log;
  readonly recorder: Recorder;
  readonly actual: ActualStateOfWorld;
  /** The Node as last seen; undefined before that. */
  cachedNode(): Node | undefined;
  /** One more of something, by the name of the metric that counts it. */
  count(metric: VolumeMetric): void;
}
