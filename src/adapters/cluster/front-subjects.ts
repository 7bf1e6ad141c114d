import { clusterNames } from '../nats/log/cluster-names.ts';

/** Subjects of the messages between the front ends of a cluster. Names of clusters and nodes are valid tokens. */
export interface FrontSubjects {
  /** HTTP requests to the owner of an epoch. The epoch keeps them from an earlier owner that has not noticed its end. */
  readonly http: (epoch: number) => string;
  /** Questions for the position up to which a node must have applied the log. */
  readonly position: (epoch: number) => string;
  /** Events of audit and use of API keys, from nodes that are not the owner. */
  readonly notes: (epoch: number) => string;
  /** Requests to hand the log over (cli/cluster/hand-over-command.ts). */
  readonly handOver: string;
  /** Events of committed windows, published by the owner. */
  readonly events: string;
  /** Standing of a node, published each second. */
  readonly standing: (node: string) => string;
  readonly allStandings: string;
}

export const frontSubjects = (cluster: string): FrontSubjects => ({
  http: (epoch) => `cs.${cluster}.owner.http.${epoch}`,
  position: (epoch) => `cs.${cluster}.owner.position.${epoch}`,
  notes: (epoch) => `cs.${cluster}.owner.notes.${epoch}`,
  handOver: clusterNames(cluster).handOver,
  events: `cs.${cluster}.events`,
  standing: (node) => `cs.${cluster}.node.${node}.standing`,
  allStandings: `cs.${cluster}.node.*.standing`,
});
