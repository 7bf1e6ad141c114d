/**
 * The job's state machine as data: each row is a row of docs/contract/job-states.md#transitions. `from` null is a new
 * job.
 *
 * - States: `blocked` waits for upstream jobs, `pending` and `running` offer tasks, `paused` offers none. `completed`,
 *   `failed` and `canceled` are terminal.
 * - Invariants: a job has exactly one status, and only rows of this table change it. Any other trigger is rejected.
 * - Exits: the only ways out of a terminal status are `retry`, to `pending`, and `retry behind upstreams`, to `blocked`.
 */
export const JOB_STATUSES = [
  'pending',
  'blocked',
  'paused',
  'running',
  'completed',
  'failed',
  'canceled',
] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export type JobTrigger =
  | 'submission without upstreams'
  | 'submission with upstreams'
  | 'paused submission'
  | 'every upstream completed'
  | 'upstream failed'
  | 'first lease'
  | 'pause'
  | 'resume to pending'
  | 'resume to running'
  | 'resume to blocked'
  | 'auto-park'
  | 'idle after reclaim'
  | 'cancel'
  | 'retry'
  | 'retry behind upstreams'
  | 'all steps completed'
  | 'a step failed';

export interface JobTransition {
  readonly from: JobStatus | null;
  readonly trigger: JobTrigger;
  readonly to: JobStatus;
}

export const JOB_TRANSITIONS: readonly JobTransition[] = [
  { from: null, trigger: 'submission without upstreams', to: 'pending' },
  { from: null, trigger: 'submission with upstreams', to: 'blocked' },
  { from: null, trigger: 'paused submission', to: 'paused' },
  { from: 'blocked', trigger: 'every upstream completed', to: 'pending' },
  { from: 'blocked', trigger: 'upstream failed', to: 'canceled' },
  { from: 'paused', trigger: 'upstream failed', to: 'canceled' },
  { from: 'pending', trigger: 'first lease', to: 'running' },
  { from: 'pending', trigger: 'pause', to: 'paused' },
  { from: 'running', trigger: 'pause', to: 'paused' },
  { from: 'blocked', trigger: 'pause', to: 'paused' },
  { from: 'paused', trigger: 'resume to pending', to: 'pending' },
  { from: 'paused', trigger: 'resume to running', to: 'running' },
  { from: 'paused', trigger: 'resume to blocked', to: 'blocked' },
  { from: 'pending', trigger: 'auto-park', to: 'paused' },
  { from: 'running', trigger: 'auto-park', to: 'paused' },
  { from: 'running', trigger: 'idle after reclaim', to: 'pending' },
  { from: 'pending', trigger: 'cancel', to: 'canceled' },
  { from: 'blocked', trigger: 'cancel', to: 'canceled' },
  { from: 'paused', trigger: 'cancel', to: 'canceled' },
  { from: 'running', trigger: 'cancel', to: 'canceled' },
  { from: 'completed', trigger: 'retry', to: 'pending' },
  { from: 'failed', trigger: 'retry', to: 'pending' },
  { from: 'canceled', trigger: 'retry', to: 'pending' },
  { from: 'completed', trigger: 'retry behind upstreams', to: 'blocked' },
  { from: 'failed', trigger: 'retry behind upstreams', to: 'blocked' },
  { from: 'canceled', trigger: 'retry behind upstreams', to: 'blocked' },
  { from: 'pending', trigger: 'all steps completed', to: 'completed' },
  { from: 'blocked', trigger: 'all steps completed', to: 'completed' },
  { from: 'running', trigger: 'all steps completed', to: 'completed' },
  { from: 'paused', trigger: 'all steps completed', to: 'completed' },
  { from: 'pending', trigger: 'a step failed', to: 'failed' },
  { from: 'blocked', trigger: 'a step failed', to: 'failed' },
  { from: 'running', trigger: 'a step failed', to: 'failed' },
  { from: 'paused', trigger: 'a step failed', to: 'failed' },
];

/** Target status by trigger, then by current status. */
const TARGETS = new Map<JobTrigger, Map<JobStatus | null, JobStatus>>();
for (const { from, trigger, to } of JOB_TRANSITIONS) {
  const ofTrigger = TARGETS.get(trigger);
  if (ofTrigger === undefined) TARGETS.set(trigger, new Map([[from, to]]));
  else ofTrigger.set(from, to);
}

/** Returns the next status of a job, or null if no row of the table allows the trigger. */
export function nextJobStatus(from: JobStatus | null, trigger: JobTrigger): JobStatus | null {
  return TARGETS.get(trigger)?.get(from) ?? null;
}

export type TerminalJobStatus = Extract<JobStatus, 'completed' | 'failed' | 'canceled'>;

export function isTerminalJob(status: JobStatus): status is TerminalJobStatus {
  return status === 'completed' || status === 'failed' || status === 'canceled';
}
