// What may go wrong in a world. Each fault acts at one of the seams (cluster access, CSI driver, process table); no
// component knows of any of them.
import type { DurationMs } from '../../base/clock.ts';
import type { CsiCode } from '../../csi/driver.ts';
import type { ApiReason } from '../../kube/api-error.ts';

export type Fault =
  /** Calls of one RPC fail with a code; with `afterEffect` the driver has done the work before it says so. */
  | {
      readonly type: 'csi';
      readonly driver?: string;
      readonly call: string;
      readonly code: CsiCode;
      readonly probability: number;
      readonly afterEffect: boolean;
    }
  /** Calls of one RPC get no answer until the fault ends or the caller gives up. */
  | { readonly type: 'csi-hang'; readonly driver?: string; readonly call: string }
  | { readonly type: 'csi-slow'; readonly driver?: string; readonly call: string; readonly byMs: DurationMs }
  /** Requests of one actor are answered with an error. */
  | { readonly type: 'api-error'; readonly actor: string; readonly reason: ApiReason; readonly probability: number }
  /** All open watches of one actor end. */
  | { readonly type: 'watch-drop'; readonly actor: string }
  /** The component loses its memory and starts anew, after `for` if a duration is given. */
  | { readonly type: 'component-restart'; readonly component: string };
