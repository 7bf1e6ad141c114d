import type { AttemptId, WorkerId } from '../ids.ts';
import type { StepRequirements } from '../../openjd/template/plan.ts';
import type { Holding } from '../records/holding.ts';
import type { PreemptionCount } from '../records/preemption.ts';
import type { BookedAmounts } from './booked-amounts.ts';
import { coresOf } from './eligibility.ts';
import { WorkerAmounts } from './worker-amounts.ts';
import type { WorkerOffer } from './worker-offer.ts';

/** A task is taken back at most this often until it ends, and not again before this time (docs/policy.md#preemption). */
const PREEMPTIONS_PER_TASK = 3;
export const PREEMPTION_PAUSE_MS = 3_600_000;

/** Resources that an attempt holds of a worker. */
export interface Held extends Holding {
  readonly attemptId: AttemptId;
  readonly cores: number;
}

/** An attempt that may be taken back. */
export interface Candidate extends Held {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** A worker that may run the waiting task. What other attempts hold that are being ended is free. */
export interface WorkerInUse {
  readonly offer: WorkerOffer;
  /** Attempts that stay. */
  readonly kept: readonly Held[];
  readonly candidates: readonly Candidate[];
  /** Whether attempts are being ended there. */
  readonly isEnding: boolean;
}

/** The worker that is kept free for a waiting task, and the attempts that are taken back there. */
export interface PreemptionChoice {
  readonly workerId: WorkerId;
  /** The newest first. Empty if enough is being ended there already. */
  readonly victims: readonly AttemptId[];
}

/** Reports whether a task may be taken back again. After the clock was set back to before the last time, it may not. */
export const mayPreempt = (count: PreemptionCount | null, now: number): boolean =>
  count === null || (count.times < PREEMPTIONS_PER_TASK && now - count.lastAt >= PREEMPTION_PAUSE_MS);

/**
 * Chooses attempts to take back on one worker, so that a task with the requirements fits there. Of all workers, the one
 * where the least work is lost (cores times run time); then the one with the fewest attempts; then the lowest ordinal.
 * Null if one has room already, or if none would have.
 */
export function choosePreemption(
  requirements: StepRequirements,
  workers: Iterable<WorkerInUse>,
  booked: BookedAmounts | null,
  now: number,
): PreemptionChoice | null {
  let best: (Victims & { readonly offer: WorkerOffer }) | null = null;
  for (const worker of workers) {
    const { offer } = worker;
    const found = victimsOn(requirements, worker, booked, now);
    if (found === null) continue;
    if (found.victims.length === 0 && !worker.isEnding) return null;
    if (best === null || compare({ ...found, offer }, best) < 0) best = { ...found, offer };
  }
  if (best === null) return null;
  return { workerId: best.offer.workerId, victims: best.victims.map(({ attemptId }) => attemptId) };
}

interface Victims {
  readonly victims: readonly Candidate[];
  /** Core milliseconds. */
  readonly lost: number;
}

const compare = (
  a: Victims & { readonly offer: WorkerOffer },
  b: Victims & { readonly offer: WorkerOffer },
): number => a.lost - b.lost || a.victims.length - b.victims.length || a.offer.ordinal - b.offer.ordinal;

/**
 * Returns the attempts to take back on a worker: the newest until the task fits, without those that are not needed, the
 * oldest of which are spared first. Null if it does not fit without all of them.
 */
export function victimsOn(
  requirements: StepRequirements,
  { offer, kept, candidates }: WorkerInUse,
  booked: BookedAmounts | null,
  now: number,
): Victims | null {
  const fitsBeside = (held: readonly Held[]): boolean => fits(requirements, offer, held, booked);
  const newest = [...candidates].sort(
    (a, b) => b.startedAt - a.startedAt || (a.attemptId < b.attemptId ? -1 : 1),
  );
  let count = 0;
  while (!fitsBeside([...kept, ...newest.slice(count)])) if (++count > newest.length) return null;
  const spared = newest.slice(count);
  let victims = newest.slice(0, count);
  for (const oldest of newest.slice(0, count).reverse()) {
    if (!fitsBeside([...kept, ...spared, oldest])) continue;
    spared.push(oldest);
    victims = victims.filter((each) => each !== oldest);
  }
  const lost = victims.reduce((sum, { cores, startedAt }) => sum + cores * Math.max(0, now - startedAt), 0);
  return { victims, lost };
}

/** Reports whether one task fits on the worker in addition to these attempts. */
function fits(
  requirements: StepRequirements,
  offer: WorkerOffer,
  held: readonly Held[],
  booked: BookedAmounts | null,
): boolean {
  const used = held.reduce((sum, { cores }) => sum + cores, 0);
  if (offer.cpuCount - used < coresOf(requirements, offer.cpuCount)) return false;
  return booked === null || new WorkerAmounts(offer, held).fits(booked.demandOf(requirements, offer));
}
