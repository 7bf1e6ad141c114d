import type { ClusterOverview, NodeOverview } from '../../src/core/cluster/cluster-overview.ts';
import type { Schemas } from './schemas.ts';

export const clusterView = (overview: ClusterOverview): Schemas['Cluster'] => ({
  name: overview.name,
  node: overview.node,
  log_id: overview.logId,
  ...(overview.logLeader !== null && { log_leader: overview.logLeader }),
  epoch: overview.epoch,
  ...(overview.owner !== null && { owner: overview.owner }),
  nodes: overview.nodes.map(nodeView),
  quorum: overview.quorum,
});

const nodeView = (node: NodeOverview): Schemas['ClusterNode'] => ({
  name: node.name,
  role: node.role,
  position: node.position,
  epoch: node.epoch,
  lag_records: node.lagRecords,
  lag_ms: node.lagMs,
  is_current: node.isCurrent,
  version: node.version,
  http_addr: node.httpAddress,
  ...(node.seenAt !== null && { seen_at: new Date(node.seenAt).toISOString() }),
});

/** The standing of one node, for the readiness and the pages. */
export const standingView = (
  { name, owner }: Pick<ClusterOverview, 'name' | 'owner'>,
  self: NodeOverview,
): Schemas['ClusterStanding'] => ({
  name,
  node: self.name,
  role: self.role,
  ...(owner !== null && { owner }),
  epoch: self.epoch,
  position: self.position,
  lag_records: self.lagRecords,
  lag_ms: self.lagMs,
  is_current: self.isCurrent,
});
