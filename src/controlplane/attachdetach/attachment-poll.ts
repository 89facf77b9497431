// Waits for a VolumeAttachment as upstream polls for it: the first look after half a second, each further one a little
// later. Between two looks nothing is done unless the object changed, so that a long wait costs nothing; what is seen
// when is the same. kubernetes:pkg/volume/csi/csi_attacher.go waitForVolumeAttachDetachStatusWithLister
import { unreachable } from '../../base/assert.ts';
import { type BackoffLimits, backoffAfter } from '../../base/backoff.ts';
import { Aborted, type Clock, type DurationMs, SECOND_MS } from '../../base/clock.ts';
import { type Random } from '../../base/random.ts';
import { type Reason } from '../../kube/reason.ts';
import { type VolumeAttachment } from '../../kube/resources/volume-attachment.ts';
import { type Lister } from '../../runtime/informer.ts';
import { type Verdict } from './attachment-status.ts';

const POLL: BackoffLimits = { initialMs: 500, factor: 1.05, maxMs: 7 * SECOND_MS };
/** Each wait is longer by up to this part of itself. */
const JITTER = 0.1;

export interface PollParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly attachments: Lister<VolumeAttachment>;
  /** Ends all waits. */
  readonly signal: AbortSignal;
}
export interface Wait {
  readonly attachment: string;
  readonly timeoutMs: DurationMs;
  readonly timedOut: string;
  judge(attachment: VolumeAttachment | undefined): Verdict;
}

export class AttachmentPoll {
  readonly #parts: PollParts;
  /** Who wants to know of the next change of an attachment: nobody else waits for it meanwhile. */
  readonly #watchers = new Map<string, () => void>();
  /** What ends each pause at the signal: one listener for all of them, because there may be thousands. */
  readonly #stops = new Set<() => void>();
  /** Attachments that are waited for, with their last change since the wait began. */
  readonly #lastChanges = new Map<string, Reason | undefined>();

  constructor(parts: PollParts) {
    this.#parts = parts;
    parts.signal.addEventListener('abort', () => this.#stops.forEach((stop) => stop()), { once: true });
  }

  /** To be told of every change of an attachment. */
  changed(attachment: string, reason: Reason): void {
    if (this.#lastChanges.has(attachment)) this.#lastChanges.set(attachment, reason);
    this.#watchers.get(attachment)?.();
  }

  /** Ends when the judge says done, with the change that made it so; throws what it says otherwise. */
  async until(wait: Wait): Promise<Reason | undefined> {
    this.#lastChanges.set(wait.attachment, undefined);
    try {
      await this.#look(wait);
      return this.#lastChanges.get(wait.attachment);
    } finally {
      this.#lastChanges.delete(wait.attachment);
    }
  }

  async #look(wait: Wait): Promise<void> {
    const { clock, attachments } = this.#parts;
    const deadline = clock.monotonic() + wait.timeoutMs;
    const looks = this.#looks(clock.monotonic());
    for (;;) {
      await this.#sleepUntil(looks.notBefore(clock.monotonic()), deadline, wait);
      const verdict = wait.judge(attachments.get(wait.attachment));
      switch (verdict.type) {
        case 'done':
          return;
        case 'failed':
          throw new Error(verdict.message);
        case 'wait':
          await this.#pause(deadline, wait.attachment);
          break;
        default:
          return unreachable(verdict);
      }
    }
  }

  /** The instants at which upstream looks. */
  #looks(start: DurationMs): { notBefore(now: DurationMs): DurationMs } {
    const { random } = this.#parts;
    let taken = 0;
    let at = start;
    const next = (): void => {
      at += Math.ceil(backoffAfter(++taken, POLL) * (1 + JITTER * random.fraction()));
    };
    return {
      notBefore: (now) => {
        do next();
        while (at < now);
        return at;
      },
    };
  }

  async #sleepUntil(at: DurationMs, deadline: DurationMs, { timedOut }: Wait): Promise<void> {
    await this.#pause(Math.min(at, deadline), undefined);
    if (at >= deadline) throw new Error(timedOut);
  }

  /** Until an instant, or until the attachment changes if one is given. */
  #pause(until: DurationMs, attachment: string | undefined): Promise<void> {
    const { clock, signal } = this.#parts;
    if (signal.aborted) return Promise.reject(new Aborted());
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        timer.cancel();
        this.#stops.delete(stop);
        if (attachment !== undefined) this.#watchers.delete(attachment);
      };
      const wake = (): void => {
        finish();
        resolve();
      };
      const stop = (): void => {
        finish();
        reject(new Aborted());
      };
      const timer = clock.after(until - clock.monotonic(), wake);
      this.#stops.add(stop);
      if (attachment !== undefined) this.#watchers.set(attachment, wake);
    });
  }
}
