import type { Clock } from '../../base/clock.ts';
import type { CSIDriver } from '../../kube/resources/csi-driver.ts';
import type { Turn } from '../../runtime/controller.ts';
import type { Mounter } from '../mounter/mounter.ts';
import type { KubeletPaths } from './kubelet-paths.ts';
import type { RegisteredDrivers } from './registered-drivers.ts';

/** What the CSI part of a kubelet works with. */
export interface CsiServices {
  readonly nodeName: string;
  readonly clock: Clock;
  readonly paths: KubeletPaths;
  readonly mounter: Mounter;
  readonly drivers: RegisteredDrivers;
  driverObjectOf(driver: string): CSIDriver | undefined;
}

/** One operation: whose writes and calls name its cause, and which ends with the process. */
export type OperationTurn = Turn;
