import { Buckets } from '../../src/core/metrics/buckets.ts';

/**
 * Histogram without labels whose values were counted on other threads. prom-client accepts one value at a time, which
 * would cost a message each. This one accepts counts and writes the Prometheus text format.
 */
export class SummedHistogram {
  private readonly name: string;
  private readonly help: string;
  readonly buckets: Buckets;

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.name = name;
    this.help = help;
    this.buckets = new Buckets(bounds);
  }

  text(): string {
    const { name, help, buckets } = this;
    const { upTo, count, sum } = buckets.cumulative();
    return [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} histogram`,
      ...buckets.bounds.map((bound, at) => `${name}_bucket{le="${bound}"} ${upTo[at] ?? 0}`),
      `${name}_bucket{le="+Inf"} ${count}`,
      `${name}_sum ${sum}`,
      `${name}_count ${count}`,
      '',
    ].join('\n');
  }
}
