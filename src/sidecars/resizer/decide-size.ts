// Which size the driver is asked for. A growth that may be under way in the driver or on the node is finished before another
// one begins, because its volume may already be larger than anybody has written down.
// external-resizer:pkg/controller/expand_and_recover.go
import { compareQuantities } from '../../kube/quantity.ts';

export interface SizeFacts {
  /** Of the claim. */
  readonly request: string;
  /** `spec.capacity` of the volume. */
  readonly volumeSize: string;
  /** The size that was asked for last. */
  readonly allocated: string | undefined;
  readonly resizeStatus: string | undefined;
  /** The last call of this process for this claim failed for certain. */
  readonly hasFinalError: boolean;
  /** Off for a driver that grows its volumes on the node alone. */
  readonly growsAtController: boolean;
  readonly isFileSystemResizePending: boolean;
}

export type SizeDecision = { readonly type: 'leave' } | { readonly type: 'resize'; readonly size: string };

const LEAVE: SizeDecision = { type: 'leave' };
const resizeTo = (size: string): SizeDecision => ({ type: 'resize', size });

export function decideSize(facts: SizeFacts): SizeDecision {
  return compareQuantities(facts.volumeSize, facts.request) < 0 ? decideSmall(facts) : decideLarge(facts);
}

/** The volume is smaller than what the user wants now. */
function decideSmall({ request, volumeSize, allocated, resizeStatus, hasFinalError }: SizeFacts): SizeDecision {
  const last = allocated ?? request;
  switch (resizeStatus) {
    case 'NodeResizeInfeasible':
      return resizeTo(last);
    case 'NodeResizePending':
    case 'NodeResizeInProgress':
      return compareQuantities(volumeSize, last) >= 0 ? LEAVE : resizeTo(last);
    case 'ControllerResizeInProgress':
      return resizeTo(hasFinalError ? request : last);
    default:
      return resizeTo(request);
  }
}

/** The volume has grown already: the node is at work, or what was done was not written down, or the user wants less now. */
function decideLarge(facts: SizeFacts): SizeDecision {
  const { request, allocated, resizeStatus } = facts;
  const last = allocated ?? request;
  switch (resizeStatus) {
    case 'NodeResizePending':
    case 'NodeResizeInProgress':
      return LEAVE;
    case 'NodeResizeInfeasible':
      return resizeTo(facts.growsAtController ? last : request);
    case 'ControllerResizeInProgress':
    case 'ControllerResizeInfeasible':
      return resizeTo(last);
    default:
      if (allocated === undefined && facts.isFileSystemResizePending) return LEAVE;
      return resizeTo(last);
  }
}
