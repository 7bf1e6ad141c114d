import type { FormField } from './form-model.ts';

const INT32_MAX = 2_147_483_647;
const YEAR_SECONDS = 31_536_000;

/** Fields that farms and queues have in common (docs/contract/resources.md#farm, docs/contract/resources.md#queue). */
export const TASK_LIMIT_FIELD: FormField = {
  kind: 'integer',
  name: 'max_concurrent_tasks',
  label: 'Tasks at once',
  hint: 'So many tasks run at the same time. Empty or 0: no limit.',
  min: 0,
  max: INT32_MAX,
  whenEmpty: 0,
  placeholder: 'no limit',
};

export const PRIORITY_FIELD: FormField = {
  kind: 'integer',
  name: 'priority',
  label: 'Priority',
  hint: 'Kept with the queue. The order of jobs is by their own priority.',
  min: -INT32_MAX - 1,
  max: INT32_MAX,
  whenEmpty: 0,
  placeholder: '0',
};

/** The retry policy; what is empty is inherited from `parent`: "the farm". */
export const retryFields = (parent: string): readonly FormField[] => [
  {
    kind: 'integer',
    name: 'max_attempts',
    label: 'Attempts of a task',
    hint: 'A task that fails is tried again until it has failed so often.',
    min: 1,
    max: 65_535,
    whenEmpty: null,
    placeholder: `as ${parent} has it`,
  },
  {
    kind: 'integer',
    name: 'retry_delay_seconds',
    label: 'Seconds before the next attempt',
    min: 0,
    max: YEAR_SECONDS,
    whenEmpty: null,
    placeholder: `as ${parent} has it`,
  },
  {
    kind: 'integer',
    name: 'failure_limit',
    label: 'Failures that pause a job',
    hint: '0: never.',
    min: 0,
    max: INT32_MAX,
    whenEmpty: null,
    placeholder: `as ${parent} has it`,
  },
];

/** A limit in words. */
export const limitText = (limit: number): string => (limit === 0 ? 'no limit' : limit.toLocaleString('en'));
