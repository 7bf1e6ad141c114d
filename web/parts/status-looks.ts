import type { Task } from '../../client/resources.ts';

/** Style of each status: label, color of styles/tokens.css, icon, and a letter where only one character fits. */

export interface StatusStyle {
  readonly label: string;
  /** Custom property `--state-…`. */
  readonly color: StateColor;
  readonly icon: StatusIcon;
  readonly letter: string;
}

export type StateColor =
  | 'pending'
  | 'blocked'
  | 'ready'
  | 'assigned'
  | 'running'
  | 'succeeded'
  | 'skipped'
  | 'failed'
  | 'canceled'
  | 'unschedulable'
  | 'paused';

export type StatusIcon =
  | 'circle'
  | 'lock'
  | 'clock'
  | 'hand'
  | 'play'
  | 'check'
  | 'skip'
  | 'cross'
  | 'ban'
  | 'pause'
  | 'warning'
  | 'plug'
  | 'unplugged';

export type StatusKind =
  | 'job'
  | 'step'
  | 'task'
  | 'attempt'
  | 'worker'
  | 'farm'
  | 'token'
  | 'credential'
  | 'webhook'
  | 'delivery';

const PENDING: StatusStyle = { label: 'Pending', color: 'pending', icon: 'circle', letter: 'P' };
const READY: StatusStyle = { label: 'Ready', color: 'ready', icon: 'clock', letter: 'Q' };
const ASSIGNED: StatusStyle = { label: 'Assigned', color: 'assigned', icon: 'hand', letter: 'A' };
const RUNNING: StatusStyle = { label: 'Running', color: 'running', icon: 'play', letter: 'R' };
const SUCCEEDED: StatusStyle = { label: 'Succeeded', color: 'succeeded', icon: 'check', letter: 'S' };
const SKIPPED: StatusStyle = { label: 'Skipped', color: 'skipped', icon: 'skip', letter: 'K' };
const COMPLETED: StatusStyle = { label: 'Completed', color: 'succeeded', icon: 'check', letter: 'S' };
const FAILED: StatusStyle = { label: 'Failed', color: 'failed', icon: 'cross', letter: 'F' };
const CANCELED: StatusStyle = { label: 'Canceled', color: 'canceled', icon: 'ban', letter: 'C' };
const UNSCHEDULABLE: StatusStyle = {
  label: 'Unschedulable',
  color: 'unschedulable',
  icon: 'warning',
  letter: 'U',
};
const PAUSED: StatusStyle = { label: 'Paused', color: 'paused', icon: 'pause', letter: '‖' };
const REVOKED: StatusStyle = { label: 'Revoked', color: 'failed', icon: 'ban', letter: 'R' };
const EXPIRED: StatusStyle = { label: 'Expired', color: 'canceled', icon: 'clock', letter: 'E' };
const BLOCKED: StatusStyle = { label: 'Blocked', color: 'blocked', icon: 'lock', letter: 'B' };

const TASK = {
  pending: PENDING,
  ready: READY,
  unschedulable: UNSCHEDULABLE,
  assigned: ASSIGNED,
  running: RUNNING,
  succeeded: SUCCEEDED,
  skipped: SKIPPED,
  failed: FAILED,
  canceled: CANCELED,
};

const LOOKS: Readonly<Record<StatusKind, Readonly<Record<string, StatusStyle>>>> = {
  job: {
    pending: PENDING,
    blocked: BLOCKED,
    paused: PAUSED,
    running: RUNNING,
    completed: COMPLETED,
    failed: FAILED,
    canceled: CANCELED,
  },
  step: {
    pending: PENDING,
    ready: READY,
    running: RUNNING,
    completed: COMPLETED,
    failed: FAILED,
    canceled: CANCELED,
  },
  task: TASK,
  attempt: TASK,
  worker: {
    online: { label: 'Online', color: 'succeeded', icon: 'plug', letter: 'O' },
    offline: { label: 'Offline', color: 'failed', icon: 'unplugged', letter: 'X' },
    disabled: { label: 'Disabled', color: 'paused', icon: 'pause', letter: 'D' },
    draining: { label: 'Draining', color: 'unschedulable', icon: 'clock', letter: 'd' },
  },
  farm: {
    active: { label: 'Active', color: 'running', icon: 'play', letter: 'A' },
    idle: { label: 'Idle', color: 'pending', icon: 'circle', letter: 'I' },
    starved: { label: 'Waiting for workers', color: 'unschedulable', icon: 'unplugged', letter: 'W' },
    paused: { label: 'Paused', color: 'paused', icon: 'pause', letter: 'P' },
    blocked: { label: 'Blocked by a pool', color: 'unschedulable', icon: 'lock', letter: 'B' },
    waiting: { label: 'Waiting', color: 'ready', icon: 'clock', letter: 'w' },
    degraded: { label: 'Degraded', color: 'failed', icon: 'warning', letter: 'D' },
  },
  token: {
    active: { label: 'Active', color: 'succeeded', icon: 'check', letter: 'A' },
    used_up: { label: 'Used up', color: 'pending', icon: 'circle', letter: 'U' },
    revoked: REVOKED,
    expired: EXPIRED,
  },
  credential: {
    valid: { label: 'Valid', color: 'succeeded', icon: 'check', letter: 'V' },
    revoked: REVOKED,
    expired: EXPIRED,
  },
  webhook: {
    enabled: { label: 'Enabled', color: 'succeeded', icon: 'check', letter: 'E' },
    failing: { label: 'Failing', color: 'failed', icon: 'warning', letter: 'F' },
    disabled: { label: 'Disabled', color: 'paused', icon: 'pause', letter: 'D' },
  },
  delivery: {
    pending: { label: 'Waiting', color: 'ready', icon: 'clock', letter: 'W' },
    delivered: { label: 'Delivered', color: 'succeeded', icon: 'check', letter: 'D' },
    failed: FAILED,
  },
};

/** Returns the style of a status. An unknown status, for example of a newer server, is shown as it is. */
export const statusStyle = (kind: StatusKind, status: string): StatusStyle =>
  LOOKS[kind][status] ?? { label: status, color: 'pending', icon: 'circle', letter: '?' };

/** Job statuses in display order. */
export const JOB_STATUSES = [
  'running',
  'pending',
  'blocked',
  'paused',
  'failed',
  'completed',
  'canceled',
] as const;

/** Parts of a progress bar, from finished to waiting. `unschedulable` is counted apart from `ready`. */
export const PROGRESS_PARTS = [
  'succeeded',
  'failed',
  'canceled',
  'running',
  'assigned',
  'ready',
  'unschedulable',
  'pending',
] as const;
export type ProgressPart = (typeof PROGRESS_PARTS)[number];

/** Status of a task in a grid. `skipped` tasks are counted as succeeded. */
export type CellStatus = ProgressPart | 'skipped';

/** In display order. */
export const CELL_STATUSES: readonly CellStatus[] = [...PROGRESS_PARTS, 'skipped'];

/** Meaning of the characters of a task grid (docs/rest.md): the letters of the statuses. */
export const GRID_STATUSES: Readonly<Record<string, CellStatus>> = Object.fromEntries(
  CELL_STATUSES.map((status) => [TASK[status].letter, status]),
);

/** Returns the shown status of a task, which is also `skipped` or `unschedulable`. */
export function shownTaskStatus({
  status,
  skipped,
  unschedulable_reason: reason,
}: Pick<Task, 'status' | 'skipped' | 'unschedulable_reason'>): string {
  if (skipped !== undefined) return 'skipped';
  return reason === undefined ? status : 'unschedulable';
}
