import { median } from '../kit/results.ts';
import type { Kind, WorkFigures } from './peer.ts';

/** One run of one system with one number of workers. */
export interface Measurement extends WorkFigures {
  readonly system: string;
  readonly workers: number;
  readonly repetition: number;
  /** Timed tasks. */
  readonly tasks: number;
  /** Timed tasks and those of the warm-up before them. */
  readonly submitted: number;
  readonly submitSeconds: number;
}

/** The medians of the repetitions of a system with a number of workers. */
export interface Summary {
  readonly system: string;
  readonly workers: number;
  readonly repetitions: number;
  readonly tasks: number;
  readonly submitted: number;
  readonly tasksPerSecond: number;
  readonly submitMs: number;
  readonly leaseP50Ms: number | null;
  readonly leaseP99Ms: number | null;
}

/** Rate of Callsheet's system of the same kind, divided by that of a peer. */
export interface Ratio {
  readonly callsheet: string;
  readonly peer: string;
  readonly workers: number;
  readonly ratio: number;
}

/** A target for a ratio. */
export interface Target {
  readonly callsheet: string;
  readonly peer: string;
  readonly workers: number;
  readonly atLeast: number;
}

/** Result of the target; null if one of the two was not measured. */
export interface CheckedTarget extends Target {
  readonly ratio: number | null;
  readonly isMet: boolean | null;
}

/** Callsheet's system of each kind. */
export const CALLSHEET: Readonly<Record<Kind, string>> = {
  cycles: 'callsheet',
  batches: 'callsheet-64-cores',
  processes: 'callsheet-processes',
};

/** Targets of the project. */
export const TARGETS: readonly Target[] = [
  { callsheet: CALLSHEET.cycles, peer: 'bullmq-always', workers: 256, atLeast: 1.5 },
  { callsheet: CALLSHEET.cycles, peer: 'bullmq-everysec', workers: 256, atLeast: 1.1 },
  { callsheet: CALLSHEET.cycles, peer: 'graphile-worker', workers: 256, atLeast: 6 },
  { callsheet: CALLSHEET.cycles, peer: 'beanstalkd-each', workers: 256, atLeast: 3 },
  { callsheet: CALLSHEET.batches, peer: 'graphile-worker-local-queue', workers: 256, atLeast: 2.5 },
  { callsheet: CALLSHEET.cycles, peer: 'bullmq-always', workers: 1, atLeast: 0.6 },
  { callsheet: CALLSHEET.processes, peer: 'slurm-tuned', workers: 256, atLeast: 5 },
];

const rate = ({ tasks, seconds }: Measurement): number => tasks / seconds;

/** Returns the summaries, in the order in which system and number of workers first occurred. */
export function summarize(measurements: readonly Measurement[]): Summary[] {
  const groups = new Map<string, Measurement[]>();
  for (const one of measurements) {
    const key = `${one.system} ${one.workers}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    return {
      system: first.system,
      workers: first.workers,
      repetitions: group.length,
      tasks: first.tasks,
      submitted: first.submitted,
      tasksPerSecond: round(median(group.map(rate)), 1),
      submitMs: round(median(group.map(({ submitSeconds }) => submitSeconds * 1000)), 1),
      leaseP50Ms: medianOrNull(group.map(({ leaseP50Ms }) => leaseP50Ms)),
      leaseP99Ms: medianOrNull(group.map(({ leaseP99Ms }) => leaseP99Ms)),
    };
  });
}

function medianOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : round(median(known), 0.001);
}

const round = (value: number, unit: number): number => Math.round(value / unit) * unit;

/**
 * Returns the median of the ratios of each repetition, in which the two ran within minutes of each other; null if no
 * repetition has both.
 */
export function ratioOf(
  measurements: readonly Measurement[],
  callsheet: string,
  peer: string,
  workers: number,
): number | null {
  const of = (system: string): readonly Measurement[] =>
    measurements.filter((one) => one.system === system && one.workers === workers);
  const ratios = of(callsheet).flatMap((ours) => {
    const theirs = of(peer).find(({ repetition }) => repetition === ours.repetition);
    return theirs === undefined ? [] : [rate(ours) / rate(theirs)];
  });
  return ratios.length === 0 ? null : round(median(ratios), 0.01);
}

/** Compares every peer with Callsheet's system of its kind, at every number of workers that both have. */
export function ratios(measurements: readonly Measurement[], kinds: ReadonlyMap<string, Kind>): Ratio[] {
  return summarize(measurements).flatMap(({ system, workers }) => {
    const kind = kinds.get(system);
    if (kind === undefined || CALLSHEET[kind] === system) return [];
    const ratio = ratioOf(measurements, CALLSHEET[kind], system, workers);
    return ratio === null ? [] : [{ callsheet: CALLSHEET[kind], peer: system, workers, ratio }];
  });
}

/** Returns the targets with the results of the run. */
export function checkTargets(
  targets: readonly Target[],
  measurements: readonly Measurement[],
): CheckedTarget[] {
  return targets.map((target) => {
    const ratio = ratioOf(measurements, target.callsheet, target.peer, target.workers);
    return { ...target, ratio, isMet: ratio === null ? null : ratio >= target.atLeast };
  });
}
