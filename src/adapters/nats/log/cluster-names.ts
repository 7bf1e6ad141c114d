/** Names on the bus of what belongs to a cluster. The names of clusters and nodes are valid tokens of a subject. */
export interface ClusterNames {
  readonly stream: string;
  /** Subject of the records of the log. */
  readonly log: string;
  /** Position of the end of the log, published by its owner. */
  readonly tail: string;
  /** Positions up to which nodes have flushed their stores. */
  readonly flushed: string;
  /** Asks whether a node can send a copy of its store. */
  readonly copyOffers: string;
  /** Asks a node for a piece of the copy that it has offered. */
  readonly copyOf: (node: string) => string;
  /** Asks a node where it is in the log. */
  readonly statusOf: (node: string) => string;
  /** Requests for facts of all nodes: versions, formats, clocks. */
  readonly facts: string;
  /** Requests to the owner to hand the log over. */
  readonly handOver: string;
}

export const clusterNames = (cluster: string): ClusterNames => ({
  stream: `CS_${cluster}_0`,
  log: `cs.${cluster}.log.0`,
  tail: `cs.${cluster}.tail`,
  flushed: `cs.${cluster}.flushed`,
  copyOffers: `cs.${cluster}.copy`,
  copyOf: (node) => `cs.${cluster}.node.${node}.copy`,
  statusOf: (node) => `cs.${cluster}.node.${node}.log`,
  facts: `cs.${cluster}.facts`,
  handOver: `cs.${cluster}.owner.hand-over`,
});
