// How long things took, by labels, as a histogram.
import { type DurationMs, SECOND_MS } from '../../base/clock.ts';
import { type Family, type Labels, type Sample, valueText } from './exposition.ts';

/** In seconds. kubernetes:pkg/volume/util/metrics.go */
const BUCKETS: readonly number[] = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600];

interface Series {
  readonly labels: Labels;
  /** One for each bucket, each with those of the smaller ones. */
  readonly counts: number[];
  sum: number;
  count: number;
}

export class Durations {
  readonly #name: string;
  readonly #help: string;
  readonly #series = new Map<string, Series>();

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  observe(labels: Labels, tookMs: DurationMs): void {
    const key = Object.values(labels).join('\n');
    const series = this.#series.get(key) ?? { labels, counts: BUCKETS.map(() => 0), sum: 0, count: 0 };
    this.#series.set(key, series);
    const seconds = tookMs / SECOND_MS;
    series.sum += seconds;
    series.count++;
    for (const [index, most] of BUCKETS.entries())
      if (seconds <= most) series.counts[index] = (series.counts[index] ?? 0) + 1;
  }

  family(): Family {
    const samples = [...this.#series.values()].flatMap(samplesOf);
    return { name: this.#name, help: this.#help, type: 'histogram', samples };
  }
}

function samplesOf({ labels, counts, sum, count }: Series): readonly Sample[] {
  const bucket = (most: number, value: number): Sample => ({
    suffix: '_bucket',
    labels: { ...labels, le: valueText(most) },
    value,
  });
  return [
    ...BUCKETS.map((most, index) => bucket(most, counts[index] ?? 0)),
    bucket(Number.POSITIVE_INFINITY, count),
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: count },
  ];
}
