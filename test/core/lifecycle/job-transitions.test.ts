import { test } from 'tap';
import {
  isTerminalJob,
  JOB_STATUSES,
  JOB_TRANSITIONS,
  nextJobStatus,
  type JobStatus,
  type JobTransition,
  type JobTrigger,
} from '../../../src/core/lifecycle/job-transitions.ts';

/** One row of the table in docs/contract/job-states.md#transitions: its text, and the corresponding data. */
interface SpecifiedRow {
  readonly from: string;
  readonly trigger: string;
  readonly to: string;
  readonly means: readonly JobTransition[];
}

const means = (froms: readonly (JobStatus | null)[], trigger: JobTrigger, to: JobStatus): JobTransition[] =>
  froms.map((from) => ({ from, trigger, to }));

const NON_TERMINAL: readonly JobStatus[] = ['pending', 'blocked', 'paused', 'running'];
const TERMINAL: readonly JobStatus[] = ['completed', 'failed', 'canceled'];

const SPECIFIED: readonly SpecifiedRow[] = [
  {
    from: '(new)',
    trigger: 'submission; depends_on empty',
    to: 'pending',
    means: means([null], 'submission without upstreams', 'pending'),
  },
  {
    from: '(new)',
    trigger: 'submission; depends_on non-empty',
    to: 'blocked',
    means: means([null], 'submission with upstreams', 'blocked'),
  },
  {
    from: 'blocked',
    trigger: 'upstream reaches terminal status; every upstream completed',
    to: 'pending',
    means: means(['blocked'], 'every upstream completed', 'pending'),
  },
  {
    from: 'blocked',
    trigger: 'upstream failed, canceled or deleted',
    to: 'canceled',
    means: means(['blocked'], 'upstream failed', 'canceled'),
  },
  {
    from: 'any active',
    trigger: 'PATCH action pause',
    to: 'paused',
    means: means(['pending', 'running', 'blocked'], 'pause', 'paused'),
  },
  {
    from: 'paused',
    trigger: 'PATCH action resume',
    to: '(active status)',
    means: [
      ...means(['paused'], 'resume to pending', 'pending'),
      ...means(['paused'], 'resume to running', 'running'),
      ...means(['paused'], 'resume to blocked', 'blocked'),
    ],
  },
  {
    from: 'running',
    trigger: 'stale-assigned reaper; job idle after reclaim',
    to: 'pending',
    means: means(['running'], 'idle after reclaim', 'pending'),
  },
  {
    from: 'non-terminal',
    trigger: 'cancel; not completed or failed',
    to: 'canceled',
    means: means(NON_TERMINAL, 'cancel', 'canceled'),
  },
  {
    from: 'completed/failed/canceled',
    trigger: 'retry; eligible tasks exist',
    to: 'pending',
    means: means(TERMINAL, 'retry', 'pending'),
  },
  {
    // Settled after the first release: like a new job.
    from: 'completed/failed/canceled',
    trigger: 'retry; an upstream job is not completed',
    to: 'blocked',
    means: means(TERMINAL, 'retry behind upstreams', 'blocked'),
  },
  {
    // An ended job keeps its status: its steps were terminal before.
    from: 'any',
    trigger: 'all steps terminal',
    to: 'completed or failed',
    means: [
      ...means(NON_TERMINAL, 'all steps completed', 'completed'),
      ...means(NON_TERMINAL, 'a step failed', 'failed'),
    ],
  },
];

/** Transitions that follow from other parts of the contract, with the location. */
const BEYOND_THE_TABLE: readonly { readonly row: JobTransition; readonly why: string }[] = [
  {
    row: { from: 'pending', trigger: 'first lease', to: 'running' },
    why: 'docs/contract/job-states.md: a job goes from pending to running at the first lease of one of its tasks',
  },
  {
    row: { from: 'running', trigger: 'auto-park', to: 'paused' },
    why: 'docs/contract/retry.md#outcomes-of-a-failure, outcome auto-park',
  },
  {
    row: { from: 'pending', trigger: 'auto-park', to: 'paused' },
    why: 'the same outcome, for a job that the stale-assigned reaper made pending',
  },
  {
    row: { from: 'paused', trigger: 'upstream failed', to: 'canceled' },
    why: 'a blocked job that was paused still waits for its upstreams, and can never run once one has failed',
  },
  {
    row: { from: null, trigger: 'paused submission', to: 'paused' },
    why: 'docs/contract/submission.md#paused-submission: additive field `paused`',
  },
];

const text = (row: JobTransition): string => `${row.from ?? '(new)'} --${row.trigger}--> ${row.to}`;

test('the job table has exactly the rows of the contract', (t) => {
  const wanted = [...SPECIFIED.flatMap((row) => row.means), ...BEYOND_THE_TABLE.map(({ row }) => row)].map(
    text,
  );
  t.strictSame(JOB_TRANSITIONS.map(text).sort(), wanted.sort());
  t.equal(new Set(wanted).size, wanted.length, 'no duplicate rows');
  t.end();
});

test('a trigger has one target status for each status', (t) => {
  const starts = JOB_TRANSITIONS.map((row) => `${row.from ?? ''} ${row.trigger}`);
  t.equal(new Set(starts).size, starts.length);
  t.end();
});

/** For each ordered pair of statuses, and for a new job, the triggers of the transition. */
const PAIRS: Readonly<Record<JobStatus | '(new)', Partial<Record<JobStatus, readonly JobTrigger[]>>>> = {
  '(new)': { pending: ['submission without upstreams'], blocked: ['submission with upstreams'] },
  pending: {
    paused: ['auto-park', 'pause'],
    running: ['first lease'],
    completed: ['all steps completed'],
    failed: ['a step failed'],
    canceled: ['cancel'],
  },
  blocked: {
    pending: ['every upstream completed'],
    paused: ['pause'],
    completed: ['all steps completed'],
    failed: ['a step failed'],
    canceled: ['cancel', 'upstream failed'],
  },
  paused: {
    pending: ['resume to pending'],
    blocked: ['resume to blocked'],
    running: ['resume to running'],
    completed: ['all steps completed'],
    failed: ['a step failed'],
    canceled: ['cancel', 'upstream failed'],
  },
  running: {
    pending: ['idle after reclaim'],
    paused: ['auto-park', 'pause'],
    completed: ['all steps completed'],
    failed: ['a step failed'],
    canceled: ['cancel'],
  },
  completed: { pending: ['retry'] },
  failed: { pending: ['retry'] },
  canceled: { pending: ['retry'] },
};

const TRIGGERS: readonly JobTrigger[] = [
  'a step failed',
  'all steps completed',
  'auto-park',
  'cancel',
  'every upstream completed',
  'first lease',
  'idle after reclaim',
  'pause',
  'resume to blocked',
  'resume to pending',
  'resume to running',
  'retry',
  'submission with upstreams',
  'submission without upstreams',
  'upstream failed',
];

test('all ordered pairs of job statuses, and the new job, have the expected triggers', (t) => {
  t.strictSame(
    [...JOB_STATUSES],
    ['pending', 'blocked', 'paused', 'running', 'completed', 'failed', 'canceled'],
    'the statuses of docs/contract/job-states.md',
  );
  for (const from of [null, ...JOB_STATUSES]) {
    for (const to of JOB_STATUSES) {
      const leading = TRIGGERS.filter((trigger) => nextJobStatus(from, trigger) === to);
      t.strictSame(leading, PAIRS[from ?? '(new)'][to] ?? [], `${from ?? '(new)'} to ${to}`);
    }
  }
  t.end();
});

test('returns the terminal job statuses', (t) => {
  t.strictSame(JOB_STATUSES.filter(isTerminalJob), TERMINAL);
  t.end();
});
