import { test } from 'tap';
import {
  isLiveTask,
  isTerminalTask,
  nextTaskStatus,
  retryTriggerOf,
  TASK_STATUSES,
  TASK_TRANSITIONS,
  type TaskStatus,
  type TaskTransition,
  type TaskTrigger,
} from '../../../src/core/lifecycle/task-transitions.ts';

/** One row of the table in docs/contract/task-states.md#transitions: its text, and the corresponding data. */
interface SpecifiedRow {
  readonly from: string;
  readonly trigger: string;
  readonly to: string;
  readonly means: readonly TaskTransition[];
}

const means = (
  froms: readonly TaskStatus[],
  triggers: readonly TaskTrigger[],
  to: TaskStatus,
): TaskTransition[] => froms.flatMap((from) => triggers.map((trigger) => ({ from, trigger, to })));

const SPECIFIED: readonly SpecifiedRow[] = [
  {
    from: 'pending',
    trigger: 'dependency resolution',
    to: 'ready',
    means: means(['pending'], ['dependency resolution'], 'ready'),
  },
  {
    from: 'pending',
    trigger: 'cancel / cascade',
    to: 'canceled',
    means: means(['pending'], ['cancel', 'cascade'], 'canceled'),
  },
  { from: 'ready', trigger: 'lease', to: 'assigned', means: means(['ready'], ['lease'], 'assigned') },
  { from: 'ready', trigger: 'cancel', to: 'canceled', means: means(['ready'], ['cancel'], 'canceled') },
  {
    from: 'assigned',
    trigger: 'worker reports running',
    to: 'running',
    means: means(['assigned'], ['reported running'], 'running'),
  },
  { from: 'assigned', trigger: 'reclaim', to: 'ready', means: means(['assigned'], ['reclaim'], 'ready') },
  { from: 'assigned', trigger: 'cancel', to: 'canceled', means: means(['assigned'], ['cancel'], 'canceled') },
  {
    from: 'assigned',
    trigger: 'worker reports terminal',
    to: 'succeeded or failed',
    means: [
      ...means(['assigned'], ['reported success'], 'succeeded'),
      ...means(['assigned'], ['reported failure'], 'failed'),
    ],
  },
  {
    from: 'running',
    trigger: 'worker reports exit code 0',
    to: 'succeeded',
    means: means(['running'], ['reported success'], 'succeeded'),
  },
  {
    from: 'running',
    trigger: 'worker reports non-zero exit or fatal error',
    to: 'failed',
    means: means(['running'], ['reported failure'], 'failed'),
  },
  {
    from: 'running',
    trigger: 'auto-retry or reclaim',
    to: 'ready',
    means: means(['running'], ['auto-retry', 'reclaim'], 'ready'),
  },
  { from: 'running', trigger: 'cancel', to: 'canceled', means: means(['running'], ['cancel'], 'canceled') },
  {
    from: 'failed or canceled',
    trigger: 'manual retry (task or job)',
    to: 'pending',
    means: means(['failed', 'canceled'], ['manual retry'], 'pending'),
  },
];

/** Transitions that follow from other parts of the contract, with the location. */
const BEYOND_THE_TABLE: readonly { readonly row: TaskTransition; readonly why: string }[] = [
  {
    row: { from: 'assigned', trigger: 'auto-retry', to: 'ready' },
    why: 'the running report was lost and the terminal one is a failure within max_attempts ("Failure handling")',
  },
  {
    row: { from: 'assigned', trigger: 'reported cancel', to: 'canceled' },
    why: 'a worker may report canceled ("Task attempt", status; "Failure reasons", first row), the running report was lost',
  },
  {
    row: { from: 'running', trigger: 'reported cancel', to: 'canceled' },
    why: 'a worker may report canceled ("Task attempt", status; "Failure reasons", first row)',
  },
  ...means(['pending', 'ready', 'assigned', 'running', 'failed', 'canceled'], ['skip'], 'succeeded').map(
    (row) => ({ row, why: 'an addition: docs/scheduling.md#skipped-tasks' }),
  ),
  ...means(['assigned', 'running'], ['worker disabled'], 'pending').map((row) => ({
    row,
    why: 'an addition: docs/scheduling.md#disabled-workers',
  })),
  ...means(['assigned', 'running'], ['preempted'], 'pending').map((row) => ({
    row,
    why: 'an addition: docs/policy.md#preemption',
  })),
  {
    row: { from: 'succeeded', trigger: 'undo skip', to: 'pending' },
    why: 'an addition: a retry undoes a skip',
  },
  {
    row: { from: 'ready', trigger: 'upstream reopened', to: 'pending' },
    why: 'an addition: a step that depends on the retried skipped task waits again',
  },
];

const text = (row: TaskTransition): string => `${row.from} --${row.trigger}--> ${row.to}`;

test('the task table has exactly the rows of the contract', (t) => {
  const wanted = [...SPECIFIED.flatMap((row) => row.means), ...BEYOND_THE_TABLE.map(({ row }) => row)].map(
    text,
  );
  t.strictSame(TASK_TRANSITIONS.map(text).sort(), wanted.sort());
  t.equal(new Set(wanted).size, wanted.length, 'no duplicate rows');
  t.end();
});

test('a trigger has one target status for each status', (t) => {
  const starts = TASK_TRANSITIONS.map((row) => `${row.from} ${row.trigger}`);
  t.equal(new Set(starts).size, starts.length);
  t.end();
});

/** For each of the 49 ordered pairs of statuses, the triggers of the transition. */
const PAIRS: Readonly<Record<TaskStatus, Partial<Record<TaskStatus, readonly TaskTrigger[]>>>> = {
  pending: { ready: ['dependency resolution'], canceled: ['cancel', 'cascade'], succeeded: ['skip'] },
  ready: {
    assigned: ['lease'],
    canceled: ['cancel'],
    succeeded: ['skip'],
    pending: ['upstream reopened'],
  },
  assigned: {
    ready: ['auto-retry', 'reclaim'],
    running: ['reported running'],
    succeeded: ['reported success', 'skip'],
    failed: ['reported failure'],
    canceled: ['cancel', 'reported cancel'],
  },
  running: {
    ready: ['auto-retry', 'reclaim'],
    succeeded: ['reported success', 'skip'],
    failed: ['reported failure'],
    canceled: ['cancel', 'reported cancel'],
  },
  succeeded: { pending: ['undo skip'] },
  failed: { pending: ['manual retry'], succeeded: ['skip'] },
  canceled: { pending: ['manual retry'], succeeded: ['skip'] },
};

const TRIGGERS: readonly TaskTrigger[] = [
  'auto-retry',
  'cancel',
  'cascade',
  'dependency resolution',
  'lease',
  'manual retry',
  'reclaim',
  'reported cancel',
  'reported failure',
  'reported running',
  'reported success',
  'skip',
  'undo skip',
  'upstream reopened',
];

test('all 49 ordered pairs of task statuses have the expected triggers', (t) => {
  t.strictSame(
    [...TASK_STATUSES],
    ['pending', 'ready', 'assigned', 'running', 'succeeded', 'failed', 'canceled'],
    'the statuses of docs/contract/task-states.md',
  );
  let pairs = 0;
  for (const from of TASK_STATUSES) {
    for (const to of TASK_STATUSES) {
      pairs++;
      const leading = TRIGGERS.filter((trigger) => nextTaskStatus(from, trigger) === to);
      t.strictSame(leading, PAIRS[from][to] ?? [], `${from} to ${to}`);
    }
  }
  t.equal(pairs, 49);
  t.end();
});

test('a transition without a row is rejected', (t) => {
  for (const trigger of TRIGGERS.filter((each) => each !== 'undo skip'))
    t.equal(nextTaskStatus('succeeded', trigger), null, `succeeded, ${trigger}`);
  t.equal(nextTaskStatus('ready', 'cascade'), null);
  t.equal(nextTaskStatus('pending', 'lease'), null);
  t.end();
});

test('returns the terminal and live statuses', (t) => {
  t.strictSame(TASK_STATUSES.filter(isTerminalTask), ['succeeded', 'failed', 'canceled']);
  t.strictSame(TASK_STATUSES.filter(isLiveTask), ['assigned', 'running']);
  for (const status of TASK_STATUSES.filter(isTerminalTask)) {
    const ofUsers: readonly TaskTrigger[] = ['manual retry', 'skip', 'undo skip'];
    const exits = TASK_TRANSITIONS.filter((row) => row.from === status && !ofUsers.includes(row.trigger));
    t.strictSame(exits, [], `only a user changes ${status}`);
  }
  t.end();
});

test('a retry of a task needs one that has failed, was canceled or is skipped', (t) => {
  for (const status of TASK_STATUSES) {
    const isEnded = status === 'failed' || status === 'canceled';
    t.equal(retryTriggerOf({ status, skipped: false }), isEnded ? 'manual retry' : null, status);
  }
  t.equal(retryTriggerOf({ status: 'succeeded', skipped: true }), 'undo skip');
  t.end();
});
