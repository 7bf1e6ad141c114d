import type { RowSpec } from './row-spec.ts';

/** Rows of `cluster`. The rates are ratios of three nodes on one machine to a single node on it. */
export const CLUSTER_ROWS: readonly RowSpec[] = [
  ...[
    { workers: 1, atLeast: 0.05 },
    { workers: 16, atLeast: 0.2 },
    { workers: 256, atLeast: 0.6 },
    { workers: 1000, atLeast: 0.6 },
  ].map(({ workers, atLeast }): RowSpec => {
    const path = `leases[workers=${workers}]`;
    return {
      bench: 'cluster',
      figure: `leases of three nodes on one machine, ${workers.toLocaleString('en-US')} ${workers === 1 ? 'worker' : 'workers'}`,
      value: `${path}.cluster.leases_per_second`,
      unit: '/s',
      yardstick: { name: 'a single node', value: `${path}.single.leases_per_second` },
      target: { of: 'ratio', is: 'at least', number: atLeast },
    };
  }),
  atMost('added lease latency, p50, at an offered rate', 'offered.added_ms.p50', 3),
  atMost('added lease latency, p99, at an offered rate', 'offered.added_ms.p99', 12),
  atMost('lag of a follower, p99', 'lag.time_ms.p99', 100),
  atMost('lease after the kill of the owner, p99', 'failover.lease_ms.p99', 4000),
  atMost('the same with 10,000 jobs, p99', 'takeover.lease_ms.p99', 4000),
];

function atMost(figure: string, value: string, number: number): RowSpec {
  return { bench: 'cluster', figure, value, unit: 'ms', target: { of: 'value', is: 'at most', number } };
}
