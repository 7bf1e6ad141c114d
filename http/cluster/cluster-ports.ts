import type { ForwardedRequest, ForwardOutcome } from '../../src/core/cluster/forwarded-http.ts';
import type { ClusterOverview, NodeOverview } from '../../src/core/cluster/cluster-overview.ts';

/** The cluster as the REST API and the event channel use it. */
export interface ClusterPorts {
  /** Reports whether the actors of this node may answer now: it owns the cluster, its shards run, and its lease is current. */
  isServing(): boolean;
  /**
   * Calls back when this node has not been serving for some seconds. Returns the function that ends it.
   */
  onSilence(silenced: () => void): () => void;
  /**
   * Resolves when this node shows everything that any client of the cluster has received; with false if it may not after a
   * bounded time. Null: it does now.
   */
  untilCurrent(): Promise<boolean> | null;
  /** Passes a request on to the owner. */
  forward(request: ForwardedRequest): Promise<ForwardOutcome>;
  /** Resolves after a time. */
  pause(milliseconds: number): Promise<void>;
  /** Counts a response, for the metrics. */
  count(what: 'forwarded' | 'stale'): void;
  overview(): ClusterOverview;
  /** Returns why this node is not ready, or null: it owns the cluster, or follows the owner. */
  fault(): string | null;
  /** Returns the standing of this node. */
  self(): NodeOverview;
}

/** A handler needs the actors, or data that only the owner of the cluster has. */
export class OwnerNeededError extends Error {
  override readonly name = 'OwnerNeededError';

  constructor() {
    super('only the owner of the cluster can handle this request');
  }
}
