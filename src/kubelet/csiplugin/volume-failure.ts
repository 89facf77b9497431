// Why an operation on a volume failed, and what that says of the volume:
//   final      nothing was done, or all of it was undone
//   uncertain  something may have been done: it must be done again or undone
//   transient  the operation never began: what was believed before still holds
// kubernetes:pkg/volume/util/types/types.go
import { CsiStatusError } from '../../csi/csi-error.ts';
import type { CsiCode } from '../../csi/driver.ts';
import { Aborted } from '../../base/clock.ts';
import { AssertionFailure } from '../../base/assert.ts';
import { messageOf } from '../../runtime/supervise.ts';

export type Progress = 'final' | 'uncertain' | 'transient';

export class VolumeFailure extends Error {
  override readonly name = 'VolumeFailure';
  readonly progress: Progress;

  constructor(message: string, progress: Progress) {
    super(message);
    this.progress = progress;
  }
}

/**
 * What the code of a mounting or unmounting call says. A caller that got no answer, or one that only says "not now",
 * cannot know how far the driver came. kubernetes:pkg/volume/csi/csi_client.go isFinalError
 */
export function classifyMount(code: CsiCode): 'final' | 'uncertain' {
  switch (code) {
    case 'CANCELLED':
    case 'DEADLINE_EXCEEDED':
    case 'UNAVAILABLE':
    case 'RESOURCE_EXHAUSTED':
    case 'ABORTED':
      return 'uncertain';
    default:
      return 'final';
  }
}

/** Anything thrown while an operation ran, except bugs and the end of the process, which are thrown on. */
export function failureOf(error: unknown): VolumeFailure {
  if (error instanceof Aborted || error instanceof AssertionFailure) throw error;
  if (error instanceof VolumeFailure) return error;
  return new VolumeFailure(messageOf(error), 'final');
}

/** The same failure told with what was being tried, and with another class if one is given. */
export function wrapFailure(prefix: string, error: unknown, progress: Progress): VolumeFailure {
  return new VolumeFailure(`${prefix}: ${failureOf(error).message}`, progress);
}

/** A code whose meaning is that of a mount. */
export function mountFailure(error: unknown): VolumeFailure {
  if (error instanceof CsiStatusError) return new VolumeFailure(error.message, classifyMount(error.code));
  return failureOf(error);
}

/** How the CSI part of a kubelet begins what it says. */
export const csiLog = (message: string): string => `kubernetes.io/csi: ${message}`;
