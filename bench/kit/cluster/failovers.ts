import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../results.ts';
import type { BenchCluster } from './bench-cluster.ts';
import type { ProbeWorkers } from './probe-workers.ts';

/** Milliseconds of one takeover after the owner was killed. */
export interface Failover {
  /** From the kill until another node owns the log. */
  readonly owner_ms: number;
  /** From then until a worker has a task. */
  readonly owner_to_lease_ms: number;
  /** From the kill until a worker has a task. */
  readonly lease_ms: number;
}

/** Quantiles of takeovers. */
export interface FailoverFigures {
  readonly kills: number;
  readonly lease_ms: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly owner_ms: { readonly p50: number; readonly max: number };
  readonly owner_to_lease_ms: { readonly p50: number; readonly max: number };
}

/** Quantiles of the longest times without a lease during hand-overs. */
export interface HandOverFigures {
  readonly count: number;
  readonly pause_ms: { readonly p50: number; readonly p99: number; readonly max: number };
}

/** Time in which a started node reads what it has missed, and the ends of all tasks are handled. */
const SETTLE_MS = 1_500;
/** The owner is killed at any moment between two heartbeats. */
const SPREAD_MS = 500;

/** Kills the process of the owner `kills` times; its nats-server continues. Each killed node is started again. */
export async function measureFailovers(
  cluster: BenchCluster,
  probes: ProbeWorkers,
  kills: number,
): Promise<readonly Failover[]> {
  const found: Failover[] = [];
  while (found.length < kills) {
    await probes.nextLease();
    await delay(SETTLE_MS + Math.random() * SPREAD_MS);
    const owner = await cluster.owner();
    const killedAt = performance.now();
    await owner.kill();
    const leasedAt = await probes.nextLease();
    const next = await cluster.owner();
    const ownedAt = next.ownsLogAt ?? leasedAt;
    found.push({
      owner_ms: Math.round(ownedAt - killedAt),
      owner_to_lease_ms: Math.round(leasedAt - ownedAt),
      lease_ms: Math.round(leasedAt - killedAt),
    });
    owner.start();
    await cluster.until(() => owner.isReady);
  }
  return found;
}

/** Milliseconds without a lease during each of `count` hand-overs. Each former owner is started again. */
export async function measureHandOvers(
  cluster: BenchCluster,
  probes: ProbeWorkers,
  count: number,
): Promise<readonly number[]> {
  const found: number[] = [];
  while (found.length < count) {
    const owner = await cluster.owner();
    owner.expectEnd();
    const pauseMs = await probes.longestPauseMs(async () => {
      await cluster.requestHandOver();
      await cluster.until(() => cluster.nodes.some((node) => node !== owner && node.ownsFarmsAt !== null));
    });
    found.push(Math.round(pauseMs));
    await cluster.until(() => owner.hasEnded);
    owner.start();
    await cluster.until(() => owner.isReady);
    await delay(SETTLE_MS + Math.random() * SPREAD_MS);
  }
  return found;
}

/** Quantiles of the pauses of hand-overs. */
export function handOverFigures(of: readonly number[]): HandOverFigures {
  const sorted = [...of].sort((a, b) => a - b);
  return {
    count: of.length,
    pause_ms: { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), max: percentile(sorted, 1) },
  };
}

export function failoverFigures(of: readonly Failover[]): FailoverFigures {
  const at = (name: keyof Failover, share: number): number =>
    percentile(
      of.map((each) => each[name]).sort((a, b) => a - b),
      share,
    );
  return {
    kills: of.length,
    lease_ms: { p50: at('lease_ms', 0.5), p99: at('lease_ms', 0.99), max: at('lease_ms', 1) },
    owner_ms: { p50: at('owner_ms', 0.5), max: at('owner_ms', 1) },
    owner_to_lease_ms: { p50: at('owner_to_lease_ms', 0.5), max: at('owner_to_lease_ms', 1) },
  };
}
