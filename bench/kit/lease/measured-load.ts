import { median } from '../results.ts';
import type { Latencies } from '../swarm/samples.ts';
import type { SwarmFigures } from '../swarm/swarm-protocol.ts';

/** Microseconds of processor time per lease; per task for an offered load or a batch. */
export interface CpuMicroseconds {
  readonly service: number;
  readonly bus: number;
  readonly client: number;
}

/** Measurements of a swarm, and processor time of the other processes during the same time. */
export interface Measured {
  readonly seen: SwarmFigures;
  readonly cpuSeconds: {
    readonly service: number;
    readonly bus: number;
    readonly bench: number;
    readonly others: Readonly<Record<string, number>>;
  };
}

/** Median rate a second of what `count` returns. */
export const rate = (runs: readonly Measured[], count: (seen: SwarmFigures) => number): number =>
  Math.round(median(runs.map(({ seen }) => count(seen) / seen.seconds)));

export const latencies = (runs: readonly Measured[]): Latencies => ({
  p50: round(median(runs.map(({ seen }) => seen.latencyMs.p50))),
  p99: round(median(runs.map(({ seen }) => seen.latencyMs.p99))),
  p999: round(median(runs.map(({ seen }) => seen.latencyMs.p999))),
});

/** Processor time for each leased task. */
export const cpuOf = (runs: readonly Measured[]): CpuMicroseconds => ({
  service: perPiece(
    runs,
    ({ cpuSeconds }) => cpuSeconds.service,
    ({ leases }) => leases,
  ),
  bus: perPiece(
    runs,
    ({ cpuSeconds }) => cpuSeconds.bus,
    ({ leases }) => leases,
  ),
  client: perPiece(
    runs,
    ({ seen }) => seen.cpuSeconds,
    ({ leases }) => leases,
  ),
});

/** Median processor time for each piece, in microseconds. */
export const perPiece = (
  runs: readonly Measured[],
  seconds: (run: Measured) => number,
  pieces: (seen: SwarmFigures) => number,
): number => round(median(runs.map((run) => (1e6 * seconds(run)) / Math.max(1, pieces(run.seen)))));

export const round = (value: number): number => Math.round(value * 1000) / 1000;
