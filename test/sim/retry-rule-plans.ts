import type { RetryRule } from '../../src/core/retry-rules/retry-rule.ts';

/** Retry rules of queues, jobs and pools, chosen by number: they draw nothing, so that seeds without rules stay the same. */

const NOTHING = {
  exitCodes: [],
  log: '',
  outOfMemory: false,
  backoffSeconds: 0,
  pool: '',
  raise: null,
} as const;

const REQUEUE: RetryRule = {
  ...NOTHING,
  name: 'requeue',
  exitCodes: [2],
  action: 'requeue',
  maxTimes: 2,
  backoffSeconds: 5,
  pool: 'nuke',
};

const AVOID: RetryRule = {
  ...NOTHING,
  name: 'avoid',
  exitCodes: [1],
  action: 'avoid_worker',
  maxTimes: 2,
};

const GIVE_UP: RetryRule = {
  ...NOTHING,
  name: 'give up',
  exitCodes: [137],
  action: 'fail_fast',
  maxTimes: 1,
};

const RAISE: RetryRule = {
  ...NOTHING,
  name: 'raise',
  exitCodes: [1, 137],
  action: 'raise',
  maxTimes: 2,
  backoffSeconds: 3,
  raise: { amount: 'amount.worker.memory', factor: 1.5, maxAmount: 8192 },
};

const SEATS: RetryRule = {
  ...NOTHING,
  name: 'seats',
  exitCodes: [1, 2],
  action: 'requeue',
  maxTimes: 1,
  backoffSeconds: 4,
};

const OF_QUEUES: readonly (readonly RetryRule[])[] = [[REQUEUE], [AVOID, GIVE_UP], [], [AVOID, REQUEUE]];
const OF_JOBS: readonly (readonly RetryRule[])[] = [[], [RAISE], [], [RAISE, AVOID]];
const OF_POOLS: readonly (readonly RetryRule[])[] = [[SEATS], []];

const pick = (of: readonly (readonly RetryRule[])[], number: number): readonly RetryRule[] =>
  of[number % of.length] ?? [];

export const rulesOfQueue = (number: number): readonly RetryRule[] => pick(OF_QUEUES, number);
export const rulesOfJob = (number: number): readonly RetryRule[] => pick(OF_JOBS, number);
export const rulesOfPool = (number: number): readonly RetryRule[] => pick(OF_POOLS, number);

/** Memory that steps request in farms with rules, by number: there is something to raise. */
export const memoryOfStep = (number: number): number => [1024, 2048, 1500][number % 3] ?? 1024;
