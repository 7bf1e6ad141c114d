/**
 * The task's state machine as data: each row is a row of docs/contract/task-states.md#transitions. The check of a
 * transition, the actors and the tests read the same rows.
 *
 * - States: `pending` waits for dependencies, `ready` can be leased, `assigned` and `running` are live. `succeeded`,
 *   `failed` and `canceled` are terminal.
 * - Invariants: a live task has exactly one open attempt, and no other task has one. Only rows of this table change the
 *   status.
 * - Exits: `manual retry` leads from `failed` and `canceled` to `pending`. `undo skip` leads from `succeeded` to
 *   `pending`, for a skipped task only. A task that has succeeded itself has no exit.
 * - The contract's table does not have `skip` and what undoes it: docs/scheduling.md#skipped-tasks; and not
 *   `worker disabled`: docs/scheduling.md#disabled-workers, or `preempted`: docs/policy.md#preemption.
 */
export const TASK_STATUSES = [
  'pending',
  'ready',
  'assigned',
  'running',
  'succeeded',
  'failed',
  'canceled',
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export type TaskTrigger =
  | 'dependency resolution'
  | 'cancel'
  | 'cascade'
  | 'lease'
  | 'reported running'
  | 'reported success'
  | 'reported failure'
  | 'reported cancel'
  | 'auto-retry'
  | 'reclaim'
  | 'worker disabled'
  | 'preempted'
  | 'manual retry'
  | 'skip'
  | 'undo skip'
  | 'upstream reopened';

export interface TaskTransition {
  readonly from: TaskStatus;
  readonly trigger: TaskTrigger;
  readonly to: TaskStatus;
}

export const TASK_TRANSITIONS: readonly TaskTransition[] = [
  { from: 'pending', trigger: 'dependency resolution', to: 'ready' },
  { from: 'pending', trigger: 'cancel', to: 'canceled' },
  { from: 'pending', trigger: 'cascade', to: 'canceled' },
  { from: 'ready', trigger: 'lease', to: 'assigned' },
  { from: 'ready', trigger: 'cancel', to: 'canceled' },
  { from: 'assigned', trigger: 'reported running', to: 'running' },
  { from: 'assigned', trigger: 'reclaim', to: 'ready' },
  { from: 'assigned', trigger: 'cancel', to: 'canceled' },
  { from: 'assigned', trigger: 'reported success', to: 'succeeded' },
  { from: 'assigned', trigger: 'reported failure', to: 'failed' },
  { from: 'assigned', trigger: 'reported cancel', to: 'canceled' },
  { from: 'assigned', trigger: 'auto-retry', to: 'ready' },
  { from: 'running', trigger: 'reported success', to: 'succeeded' },
  { from: 'running', trigger: 'reported failure', to: 'failed' },
  { from: 'running', trigger: 'reported cancel', to: 'canceled' },
  { from: 'running', trigger: 'auto-retry', to: 'ready' },
  { from: 'running', trigger: 'reclaim', to: 'ready' },
  { from: 'running', trigger: 'cancel', to: 'canceled' },
  { from: 'assigned', trigger: 'worker disabled', to: 'pending' },
  { from: 'running', trigger: 'worker disabled', to: 'pending' },
  { from: 'assigned', trigger: 'preempted', to: 'pending' },
  { from: 'running', trigger: 'preempted', to: 'pending' },
  { from: 'failed', trigger: 'manual retry', to: 'pending' },
  { from: 'canceled', trigger: 'manual retry', to: 'pending' },
  { from: 'pending', trigger: 'skip', to: 'succeeded' },
  { from: 'ready', trigger: 'skip', to: 'succeeded' },
  { from: 'assigned', trigger: 'skip', to: 'succeeded' },
  { from: 'running', trigger: 'skip', to: 'succeeded' },
  { from: 'failed', trigger: 'skip', to: 'succeeded' },
  { from: 'canceled', trigger: 'skip', to: 'succeeded' },
  { from: 'succeeded', trigger: 'undo skip', to: 'pending' },
  { from: 'ready', trigger: 'upstream reopened', to: 'pending' },
];

/** Target status by trigger, then by current status. */
const TARGETS = new Map<TaskTrigger, Map<TaskStatus, TaskStatus>>();
for (const { from, trigger, to } of TASK_TRANSITIONS) {
  const ofTrigger = TARGETS.get(trigger);
  if (ofTrigger === undefined) TARGETS.set(trigger, new Map([[from, to]]));
  else ofTrigger.set(from, to);
}

/** Returns the next status of a task, or null if no row of the table allows the trigger. */
export function nextTaskStatus(from: TaskStatus, trigger: TaskTrigger): TaskStatus | null {
  return TARGETS.get(trigger)?.get(from) ?? null;
}

/** Returns the trigger with which a manual retry moves a task to pending, or null if it cannot be retried. */
export function retryTriggerOf({
  status,
  skipped,
}: {
  readonly status: TaskStatus;
  readonly skipped: boolean;
}): 'manual retry' | 'undo skip' | null {
  const trigger = skipped ? 'undo skip' : 'manual retry';
  return nextTaskStatus(status, trigger) === null ? null : trigger;
}

export type TerminalTaskStatus = Extract<TaskStatus, 'succeeded' | 'failed' | 'canceled'>;

/** Reports whether the status is terminal: succeeded, failed or canceled. */
export function isTerminalTask(status: TaskStatus): status is TerminalTaskStatus {
  return status === 'succeeded' || status === 'failed' || status === 'canceled';
}

/** Reports whether a task of this status is live: it holds an open attempt, cores and pool slots. */
export function isLiveTask(status: TaskStatus): status is 'assigned' | 'running' {
  return status === 'assigned' || status === 'running';
}
