import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';

/** kubernetes:staging/src/k8s.io/apimachinery/pkg/util/validation/validation.go */
const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const DNS_SUBDOMAIN_LENGTH_MAX = 253;
const NANOS_PER_MS = 1_000_000;

/**
 * Names of Events: the object's name and the time in nanoseconds, in hexadecimal (client-go:tools/record/util/util.go).
 * A clock of milliseconds leaves six digits, which are counted up from a place of the source's own, so that neither one
 * source nor two of them name two Events of one instant alike.
 */
export class EventNames {
  readonly #clock: Clock;
  readonly #random: Random;
  #nanos: number;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
    this.#nanos = random.int(0, NANOS_PER_MS);
  }

  next(objectName: string): string {
    this.#nanos = (this.#nanos + 1) % NANOS_PER_MS;
    const unixNanos = BigInt(Math.floor(this.#clock.now())) * BigInt(NANOS_PER_MS) + BigInt(this.#nanos);
    const name = `${objectName}.${unixNanos.toString(16)}`;
    return name.length <= DNS_SUBDOMAIN_LENGTH_MAX && DNS_SUBDOMAIN.test(name) ? name : this.#random.uid();
  }
}
