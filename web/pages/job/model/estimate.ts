import type { JobStatus, Step } from '../../../../client/resources.ts';

/** How long a job still takes, or why that cannot be said. */
export type Estimate =
  | {
      readonly kind: 'known';
      readonly ms: number;
      /** Some steps are not in it: none of their attempts has succeeded yet. It takes longer than this. */
      readonly isLeast: boolean;
      /** Attempts that it is made of. */
      readonly attempts: number;
      /** Tasks that it takes to run at the same time. */
      readonly atOnce: number;
    }
  | { readonly kind: 'unknown'; readonly because: string };

type JudgedStep = Pick<Step, 'name' | 'depends_on' | 'task_counts' | 'attempt_seconds'>;

/**
 * The remaining time of a job: the seconds that its attempts took on average, step by step, for the tasks that are left, by as many at the
 * same time as run now. Tasks that run are taken to be half done. It is not less than what the longest chain of steps takes, one task each.
 */
export function estimateOf(status: JobStatus, steps: readonly JudgedStep[]): Estimate {
  const off = whyNot(status);
  if (off !== '') return unknown(off);
  const left = steps.filter((step) => leftOf(step) > 0);
  const known = left.filter((step) => step.attempt_seconds !== undefined);
  if (left.length === 0) return unknown('no task is left to run');
  if (known.length === 0) return unknown('no task of what is left has finished yet');
  const atOnce = steps.reduce((sum, { task_counts: { running, assigned } }) => sum + running + assigned, 0);
  if (atOnce === 0) return unknown('nothing runs at the moment');
  const work = known.reduce((sum, step) => sum + workOf(step), 0);
  return {
    kind: 'known',
    ms: Math.max(work / atOnce, longestChain(steps)) * 1_000,
    isLeast: known.length < left.length,
    attempts: known.reduce((sum, step) => sum + (step.attempt_seconds?.count ?? 0), 0),
    atOnce,
  };
}

const unknown = (because: string): Estimate => ({ kind: 'unknown', because });

function whyNot(status: JobStatus): string {
  switch (status) {
    case 'paused':
      return 'the job is paused';
    case 'blocked':
      return 'the job waits for other jobs';
    case 'completed':
    case 'failed':
    case 'canceled':
      return 'the job has ended';
    case 'pending':
    case 'running':
      return '';
  }
}

const leftOf = ({ task_counts: { pending, ready, assigned, running } }: JudgedStep): number =>
  pending + ready + assigned + running;

const meanOf = (step: JudgedStep): number => step.attempt_seconds?.mean ?? 0;

/** Seconds of one worker. */
function workOf(step: JudgedStep): number {
  const { pending, ready, assigned, running } = step.task_counts;
  return meanOf(step) * (pending + ready + (assigned + running) / 2);
}

/** Seconds of the chain of steps that takes longest with one task of each. */
function longestChain(steps: readonly JudgedStep[]): number {
  const byName = new Map(steps.map((step) => [step.name, step]));
  const known = new Map<string, number>();
  const until = (step: JudgedStep): number => {
    const before = known.get(step.name);
    if (before !== undefined) return before;
    known.set(step.name, 0);
    const upstream = (step.depends_on ?? []).flatMap((name) => byName.get(name) ?? []);
    const own = leftOf(step) === 0 ? 0 : meanOf(step) * (hasWaiting(step) ? 1 : 0.5);
    const seconds = Math.max(0, ...upstream.map(until)) + own;
    known.set(step.name, seconds);
    return seconds;
  };
  return Math.max(0, ...steps.map(until));
}

const hasWaiting = ({ task_counts: { pending, ready } }: JudgedStep): boolean => pending + ready > 0;
