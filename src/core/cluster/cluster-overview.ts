/**
 * Role of a node of a cluster. `suspended`: an owner without a current lease, which sends no output. `unreachable`: not seen for some
 * seconds.
 */
export type NodeRole = 'owner' | 'follower' | 'candidate' | 'suspended' | 'ended' | 'unreachable';

/** Standing of a node of a cluster. */
export interface NodeOverview {
  readonly name: string;
  readonly role: NodeRole;
  /** Position of the last record of the log that the node has applied. */
  readonly position: number;
  readonly epoch: number;
  readonly lagRecords: number;
  readonly lagMs: number;
  /** False if the node may show an older state than clients have received from others. */
  readonly isCurrent: boolean;
  readonly version: string;
  /** `host:port` of its REST API, as it is configured. */
  readonly httpAddress: string;
  /** Milliseconds since the epoch; null if it was not seen since this node has started. */
  readonly seenAt: number | null;
}

/** The cluster as one node sees it. */
export interface ClusterOverview {
  readonly name: string;
  readonly node: string;
  /** Empty before the node has read the log. */
  readonly logId: string;
  readonly epoch: number;
  /** The node whose nats-server leads the stream of the log; null if it is not known. */
  readonly logLeader: string | null;
  /** Null if no node owns the cluster. */
  readonly owner: string | null;
  readonly nodes: readonly NodeOverview[];
  /** Nodes that were seen in the last seconds, and the number that a quorum needs. */
  readonly quorum: { readonly present: number; readonly needed: number };
}
