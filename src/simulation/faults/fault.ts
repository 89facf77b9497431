// What may go wrong in a world. Each fault acts at one of the seams (cluster access, CSI driver, mounter, process table and
// its clocks); no component knows of any of them. A fault begins and ends; where it is over at once, ending it does nothing.
import type { DurationMs } from '../../base/clock.ts';
import type { CsiCode } from '../../csi/driver.ts';
import type { ApiReason } from '../../kube/api-error.ts';
import type { Program } from '../../worlds/settings.ts';

export type Fault = NodeFault | CsiFault | ApiFault | ProcessFault;

export type NodeFault =
  /** The machine loses power: its processes die, mounts and attachments stay as they were. Its end is a boot: no mounts. */
  | { readonly type: 'node-crash'; readonly node: string }
  /** The machine stands still: what comes to its processes waits, and all of it arrives when the fault ends. */
  | { readonly type: 'node-freeze'; readonly node: string }
  /** Ends what keeps a node away: crash, freeze and partitions. */
  | { readonly type: 'node-return'; readonly node: string }
  /** The kubelet dies and comes back; pods, mounts and drivers of the machine go on. */
  | { readonly type: 'kubelet-restart'; readonly node: string }
  /** The machine runs but does not reach the API server, its storage, or either. */
  | { readonly type: 'partition'; readonly node: string; readonly from: 'api' | 'storage' | 'both' }
  /** Wall time of the machine jumps; elapsed time goes on evenly. Its end is the jump back. */
  | { readonly type: 'clock-step'; readonly node: string; readonly byMs: DurationMs }
  /** Nothing can be written to the kubelet's root. */
  | { readonly type: 'disk-full'; readonly node: string }
  /** Nothing can be unmounted. */
  | { readonly type: 'device-busy'; readonly node: string };

export type CsiFault =
  /** Calls of one RPC fail with a code; with `afterEffect` the driver has done the work before it says so. */
  | {
      readonly type: 'csi';
      readonly driver?: string;
      readonly call: string;
      readonly code: CsiCode;
      readonly probability: number;
      readonly afterEffect: boolean;
    }
  /** Calls of one RPC get no answer until the fault ends or the caller gives up; a call given up does nothing. */
  | { readonly type: 'csi-hang'; readonly driver?: string; readonly call: string }
  /** Calls of one RPC take longer. The driver finishes what it began although the caller may have given up. */
  | { readonly type: 'csi-slow'; readonly driver?: string; readonly call: string; readonly byMs: DurationMs };

export type ApiFault =
  /** Requests of one actor are answered with an error; with `afterEffect` the server has done what was asked. */
  | {
      readonly type: 'api-error';
      readonly actor: string;
      readonly reason: ApiReason;
      readonly probability: number;
      readonly afterEffect: boolean;
    }
  /** Requests and events of one actor are under way for longer. */
  | { readonly type: 'api-latency'; readonly actor: string; readonly byMs: DurationMs }
  /** The server's cache that this actor reads stands still: watches bring nothing, lists that allow old data get it. */
  | { readonly type: 'stale-reads'; readonly actor: string }
  /** All open watches of one actor end, and none can be opened while it lasts. */
  | { readonly type: 'watch-drop'; readonly actor: string };

/** A component by its name, or all of a program by the program's. */
export type ProcessFault =
  /** The component loses its memory and starts anew, after `for` if a duration is given. */
  | { readonly type: 'component-restart'; readonly component: string }
  /** The same without an end of its own. */
  | { readonly type: 'component-crash'; readonly component: string }
  /** The process stands still, as in a long pause of its collector, and goes on with what it had in mind. */
  | { readonly type: 'component-freeze'; readonly component: string }
  /** Another process of this program takes over: all its components lose their memory. */
  | { readonly type: 'leader-change'; readonly program: Program };

export type FaultType = Fault['type'];

/** client-go:tools/leaderelection: a lease of 15 s runs out, and the next candidate looks every 2 s. */
const TAKEOVER_MS = 17_000;

/** How long a fault lasts that is given no duration; absent: until something else ends it. */
export const NATURAL_MS: Readonly<Partial<Record<FaultType, DurationMs>>> = {
  'node-return': 0,
  'kubelet-restart': 0,
  'component-restart': 0,
  'watch-drop': 0,
  'leader-change': TAKEOVER_MS,
};
