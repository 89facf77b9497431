// How operations name a volume in events. kubernetes:pkg/volume/util/operationexecutor/operation_executor.go GenerateMsg
import { failureOf, type VolumeFailure } from '../../csiplugin/volume-failure.ts';

export function volumeMessage(prefix: string, specName: string, suffix: string): string {
  return `${prefix} for volume "${specName}" ${suffix}`;
}

/** A step of an operation that failed: what was being tried, for which volume, and why. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
  override readonly cause: VolumeFailure;

  constructor(prefix: string, specName: string, cause: VolumeFailure) {
    super(volumeMessage(prefix, specName, `: ${cause.message}`));
    this.cause = cause;
  }
}

/** Runs one step; `onFailure` is told before the failure is passed on. */
export async function step<T>(
  at: { readonly prefix: string; readonly specName: string },
  perform: () => Promise<T> | T,
  onFailure: (failure: VolumeFailure) => void = () => undefined,
): Promise<T> {
  try {
    return await perform();
  } catch (error) {
    if (error instanceof StepFailure) throw error;
    const failure = failureOf(error);
    onFailure(failure);
    throw new StepFailure(at.prefix, at.specName, failure);
  }
}
