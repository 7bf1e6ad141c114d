import { Counter, Gauge, type Registry } from 'prom-client';
import { METRICS, type LabelOf, type MetricName } from '../../../src/core/metrics/metric-table.ts';
import type { ClusterOverview, NodeOverview, NodeRole } from '../../../src/core/cluster/cluster-overview.ts';

/** Roles that a node has for itself. */
const ROLES: readonly NodeRole[] = ['owner', 'follower', 'candidate', 'suspended', 'ended'];
const SECOND_MS = 1000;

/** Counts of a node since its start. */
export interface ClusterFigures {
  forwarded: number;
  stale: number;
  /** Times that this process has become the owner: 0 or 1. */
  takeovers: number;
}

/** Values of a node at a scrape. */
export interface ClusterSample {
  readonly self: NodeOverview;
  readonly nodes: ClusterOverview['nodes'];
  readonly figures: Readonly<ClusterFigures>;
}

/** Adds the metrics of a node of a cluster. `read` is called for each of them at each scrape. */
export function addClusterMetrics(registry: Registry, read: () => ClusterSample): void {
  const settings = <Name extends MetricName>(name: Name) => {
    const labelNames: readonly LabelOf<Name>[] = METRICS[name].labels;
    return { name, help: METRICS[name].help, labelNames, registers: [registry] };
  };
  const gauge = (name: MetricName, value: (sample: ClusterSample) => number): void => {
    new Gauge({
      ...settings(name),
      collect() {
        this.set(value(read()));
      },
    });
  };
  const counter = (name: MetricName, value: (figures: ClusterSample['figures']) => number): void => {
    new Counter({
      ...settings(name),
      collect() {
        this.reset();
        this.inc(value(read().figures));
      },
    });
  };
  new Gauge({
    ...settings('svc_cluster_role'),
    collect() {
      const { self } = read();
      for (const role of ROLES) this.set({ role }, role === self.role ? 1 : 0);
    },
  });
  new Gauge({
    ...settings('svc_cluster_nodes'),
    collect() {
      const { nodes } = read();
      const missing = nodes.filter(({ role }) => role === 'unreachable').length;
      this.set({ standing: 'present' }, nodes.length - missing);
      this.set({ standing: 'missing' }, missing);
    },
  });
  gauge('svc_cluster_epoch', ({ self }) => self.epoch);
  gauge('svc_cluster_position', ({ self }) => self.position);
  gauge('svc_cluster_lag_records', ({ self }) => self.lagRecords);
  gauge('svc_cluster_lag_seconds', ({ self }) => self.lagMs / SECOND_MS);
  gauge('svc_cluster_current', ({ self }) => (self.isCurrent ? 1 : 0));
  counter('svc_cluster_takeovers_total', ({ takeovers }) => takeovers);
  counter('svc_cluster_forwarded_requests_total', ({ forwarded }) => forwarded);
  counter('svc_cluster_stale_reads_total', ({ stale }) => stale);
}
