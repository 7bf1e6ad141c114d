import type { JobStatus, Step } from '../../../../client/resources.ts';

/** The remaining time of a job, or the reason why it is unknown. */
export type Estimate =
  | {
      readonly kind: 'known';
      readonly ms: number;
      /** The estimate leaves out steps without a succeeded attempt, so the job takes longer. */
      readonly isLowerBound: boolean;
      /** Number of attempts that the estimate is based on. */
      readonly attempts: number;
      /** Number of tasks that run at the same time. */
      readonly concurrency: number;
    }
  | { readonly kind: 'unknown'; readonly reason: string };

type JudgedStep = Pick<Step, 'name' | 'depends_on' | 'task_counts' | 'attempt_seconds' | 'chunks'>;

/**
 * Estimates the remaining time of a job: for each step, the mean duration of its attempts times the remaining tasks,
 * divided by the number of tasks that run now. Running tasks count as half done. The estimate is at least the duration
 * of the longest chain of steps with one task each.
 */
export function estimateOf(status: JobStatus, steps: readonly JudgedStep[]): Estimate {
  const reason = unknownReason(status);
  if (reason !== '') return unknown(reason);
  const remaining = steps.filter((step) => remainingTasks(step) > 0);
  const known = remaining.filter((step) => step.attempt_seconds !== undefined);
  if (remaining.length === 0) return unknown('no tasks remain');
  if (known.length === 0) return unknown('no attempt of the remaining steps has succeeded yet');
  const concurrency = steps.reduce(
    (sum, { task_counts: { running, assigned } }) => sum + running + assigned,
    0,
  );
  if (concurrency === 0) return unknown('no tasks are running');
  const work = known.reduce((sum, step) => sum + remainingWork(step), 0);
  return {
    kind: 'known',
    ms: Math.max(work / concurrency, longestChain(steps)) * 1_000,
    isLowerBound: known.length < remaining.length,
    attempts: known.reduce((sum, step) => sum + (step.attempt_seconds?.count ?? 0), 0),
    concurrency,
  };
}

const unknown = (reason: string): Estimate => ({ kind: 'unknown', reason });

function unknownReason(status: JobStatus): string {
  switch (status) {
    case 'paused':
      return 'the job is paused';
    case 'blocked':
      return 'the job is waiting for other jobs';
    case 'completed':
    case 'failed':
    case 'canceled':
      return 'the job has ended';
    case 'pending':
    case 'running':
      return '';
  }
}

const remainingTasks = ({ task_counts: { pending, ready, assigned, running } }: JudgedStep): number =>
  pending + ready + assigned + running;

/** Chunks may have changed their size since the first attempts, so their duration follows from that of one value. */
const meanOf = ({ attempt_seconds: seconds, chunks }: JudgedStep): number =>
  chunks?.seconds_per_value === undefined ? (seconds?.mean ?? 0) : chunks.seconds_per_value * chunks.size;

/** Returns the remaining work of a step in seconds of one task at a time. */
function remainingWork(step: JudgedStep): number {
  const { pending, ready, assigned, running } = step.task_counts;
  return meanOf(step) * (pending + ready + (assigned + running) / 2);
}

/** Returns the duration of the longest chain of steps with one task each, in seconds. */
function longestChain(steps: readonly JudgedStep[]): number {
  const byName = new Map(steps.map((step) => [step.name, step]));
  const known = new Map<string, number>();
  const until = (step: JudgedStep): number => {
    const before = known.get(step.name);
    if (before !== undefined) return before;
    known.set(step.name, 0);
    const upstream = (step.depends_on ?? []).flatMap((name) => byName.get(name) ?? []);
    const own = remainingTasks(step) === 0 ? 0 : meanOf(step) * (hasWaiting(step) ? 1 : 0.5);
    const seconds = Math.max(0, ...upstream.map(until)) + own;
    known.set(step.name, seconds);
    return seconds;
  };
  return Math.max(0, ...steps.map(until));
}

const hasWaiting = ({ task_counts: { pending, ready } }: JudgedStep): boolean => pending + ready > 0;
