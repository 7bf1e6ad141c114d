/** A node of a cluster: its name, and the address at which the other nodes reach its nats-server. */
export interface ClusterPeer {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/** Settings of a node of a cluster (docs/high-availability.md). */
export interface ClusterConfig {
  readonly name: string;
  /** Name of this node; one of `peers`. */
  readonly node: string;
  /** All nodes, this one included. */
  readonly peers: readonly ClusterPeer[];
  /** File with the secret that all nodes share; empty if `bus.url` names an external cluster. */
  readonly secretFile: string;
}
