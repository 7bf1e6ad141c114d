/** Names on the bus of what belongs to a cluster. The names of clusters and nodes are valid tokens of a subject. */
export interface ClusterNames {
  readonly stream: string;
  /** Subject of the records of the log. */
  readonly log: string;
  /** Position of the end of the log, published by its owner. */
  readonly tail: string;
  /** Positions up to which nodes have flushed their stores. */
  readonly flushed: string;
}

export const clusterNames = (cluster: string): ClusterNames => ({
  stream: `CS_${cluster}_0`,
  log: `cs.${cluster}.log.0`,
  tail: `cs.${cluster}.tail`,
  flushed: `cs.${cluster}.flushed`,
});
