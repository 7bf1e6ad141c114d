import { stepIdOf } from '../ids.ts';
import type { JobStatus } from '../lifecycle/job-transitions.ts';
import { isTerminalStep } from '../lifecycle/step-rules.ts';
import type { TaskCounts } from '../lifecycle/task-counts.ts';
import { parkReasonOf, type JobRecord } from '../records/job.ts';
import type { StepRecord } from '../records/step.ts';
import type { Progress, UpstreamJobGate, UpstreamStepGate } from './task-explanation.ts';
import type { TaskFacts } from './task-facts.ts';
import { pluralize, listText, numberText, sentenceOf } from './wording.ts';

/** Returns the gates of the jobs that a blocked job waits for. A job that was paused while it was blocked waits too. */
export function upstreamJobGates({ job, upstreamJobs }: TaskFacts): UpstreamJobGate[] {
  const waits = job.status === 'blocked' || (job.status === 'paused' && job.waitsWhilePaused === true);
  if (!waits) return [];
  return upstreamJobs.flatMap((upstream): UpstreamJobGate[] => {
    if (upstream.isHidden === true) return [HIDDEN_GATE];
    const { id, record } = upstream;
    if (record?.status === 'completed') return [];
    return [
      {
        gate: 'upstream_job',
        reason: 'upstream job not completed',
        sentence: record === null ? `Upstream job ${id} does not exist any more.` : jobSentence(record),
        job: { id, name: record?.name ?? id },
        status: record?.status ?? null,
        progress: record === null ? null : progressOf(record.taskCounts),
      },
    ];
  });
}

/** How sentences name upstream jobs that the reader may not see. */
export const HIDDEN_JOB = 'a job that you cannot see';

const HIDDEN_GATE: UpstreamJobGate = {
  gate: 'upstream_job',
  reason: 'upstream job not completed',
  sentence: sentenceOf(`waits for ${HIDDEN_JOB}`),
  job: null,
  status: null,
  progress: null,
};

function jobSentence(job: JobRecord): string {
  return sentenceOf(
    `waits for job ${job.name}${jobTrouble(job.status, parkReasonOf(job))}: ${progressText(job.taskCounts)}`,
  );
}

function jobTrouble(status: JobStatus, parkReason: string | null): string {
  switch (status) {
    case 'paused':
      return parkReason === null ? ', which is paused' : `, which was parked (${parkReason})`;
    case 'blocked':
      return ', which itself waits for other jobs';
    case 'failed':
      return ', which has failed';
    case 'canceled':
      return ', which was canceled';
    case 'pending':
    case 'running':
    case 'completed':
      return '';
  }
}

/** Returns the gates of the steps of the same job that the task's step waits for. */
export function upstreamStepGates({ step, steps }: TaskFacts): UpstreamStepGate[] {
  return upstreamsOf(step, steps).flatMap((upstream): UpstreamStepGate[] => {
    if (upstream.status === 'completed') return [];
    return [
      {
        gate: 'upstream_step',
        reason: 'upstream step not completed',
        sentence: sentenceOf(stepClause(upstream, steps)),
        step: { id: stepIdOf(upstream.jobId, upstream.order), name: upstream.name },
        status: upstream.status,
        progress: progressOf(upstream.taskCounts),
      },
    ];
  });
}

/** Returns the steps that a step depends on. */
export const upstreamsOf = (step: StepRecord, steps: readonly StepRecord[]): StepRecord[] =>
  step.dependsOn.flatMap((order) => steps[order] ?? []);

function stepClause(step: StepRecord, steps: readonly StepRecord[]): string {
  const { name, status, taskCounts: counts } = step;
  if (isTerminalStep(status)) {
    const [ended, number] =
      status === 'failed'
        ? (['has failed', counts.failed] as const)
        : (['was canceled', counts.canceled] as const);
    return `step ${name} ${ended} (${numberText(number)} of ${pluralize(counts.total, 'task')}) and must be retried first`;
  }
  const before = status === 'pending' ? upstreamsOf(step, steps).filter(isUnfinished) : [];
  const itself = before.length === 0 ? '' : `, which itself waits for ${stepsText(before)}`;
  return `waits for step ${name}${itself}: ${progressText(counts)}`;
}

const isUnfinished = (step: StepRecord): boolean => step.status !== 'completed';

const stepsText = (steps: readonly StepRecord[]): string =>
  `${steps.length === 1 ? 'step' : 'steps'} ${listText(steps.map(({ name }) => name))}`;

function progressOf(counts: TaskCounts): Progress {
  return {
    total: counts.total,
    left: counts.total - counts.succeeded - counts.failed - counts.canceled,
    running: counts.assigned + counts.running,
    failed: counts.failed,
  };
}

/** `37 of 120 tasks left, 12 running, 2 failed`. */
function progressText(counts: TaskCounts): string {
  const { total, left, running, failed } = progressOf(counts);
  return [
    `${numberText(left)} of ${pluralize(total, 'task')} left`,
    running === 0 ? 'none running' : `${numberText(running)} running`,
    ...(failed === 0 ? [] : [`${numberText(failed)} failed`]),
    ...(counts.canceled === 0 ? [] : [`${numberText(counts.canceled)} canceled`]),
    ...(counts.unschedulable === 0 ? [] : [`${numberText(counts.unschedulable)} unschedulable`]),
  ].join(', ');
}
