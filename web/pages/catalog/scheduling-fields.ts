import type { FormField } from './form-model.ts';

/** Rules for failed attempts (docs/retry-rules.md). */
export const RETRY_RULES_FIELD: FormField = {
  kind: 'json',
  name: 'retry_rules',
  label: 'Retry rules',
  hint: 'A JSON list, such as [{"name": "license", "match": {"exit_codes": [70]}, "action": "requeue"}]. Leave empty for none.',
};

/** Fields of a queue that takes back tasks, or whose tasks are taken back (docs/policy.md#preemption). */
export const PREEMPTION_FIELDS: readonly FormField[] = [
  {
    kind: 'integer',
    name: 'preempt_after_seconds',
    label: 'Preempt after seconds',
    hint: 'Take back running tasks of preemptible queues for a task that has waited this long. Leave empty to take back none.',
    min: 1,
    max: 31_536_000,
    whenEmpty: null,
    placeholder: 'never',
  },
  {
    kind: 'flag',
    name: 'preemptible',
    label: 'Preemptible',
    hint: 'Other queues may take back running tasks. The tasks run again from their beginning, without using up an attempt.',
  },
];

const INT32_MAX = 2_147_483_647;
const YEAR_SECONDS = 31_536_000;

/** Fields that farms and queues share (docs/contract/resources.md#farm, docs/contract/resources.md#queue). */
export const TASK_LIMIT_FIELD: FormField = {
  kind: 'integer',
  name: 'max_concurrent_tasks',
  label: 'Concurrent tasks',
  hint: 'Maximum number of tasks that run at the same time. Leave empty or enter 0 for no limit.',
  min: 0,
  max: INT32_MAX,
  whenEmpty: 0,
  placeholder: 'no limit',
};

/** Fields of a farm or queue: caps of owners and projects (docs/policy.md#caps). */
export const NAMED_CAPS_FIELDS: readonly FormField[] = [
  {
    kind: 'json',
    name: 'owner_caps',
    label: 'Owner limits',
    hint: 'Maximum numbers of concurrent tasks of owners: a JSON object, such as {"ana": 20, "*": 50}, where * is each other owner. 0 means no limit. Leave empty for none.',
    isObject: true,
  },
  {
    kind: 'json',
    name: 'project_caps',
    label: 'Project limits',
    hint: 'The same for projects: a JSON object, such as {"film": 20, "*": 50}. Leave empty for none.',
    isObject: true,
  },
];

export const PRIORITY_FIELD: FormField = {
  kind: 'integer',
  name: 'priority',
  label: 'Priority',
  hint: 'Stored with the queue. The scheduler orders jobs by the priority of the job.',
  min: -INT32_MAX - 1,
  max: INT32_MAX,
  whenEmpty: 0,
  placeholder: '0',
};

/** Fields of a farm: the amounts that its tasks book (docs/policy.md#booked-amounts). */
export const BOOKED_AMOUNT_FIELDS: readonly FormField[] = [
  {
    kind: 'list',
    name: 'booked_amounts',
    label: 'Booked amounts',
    hint: 'Amounts that tasks book like cores, separated by commas: amount.worker.memory, amount.worker.gpu. Leave empty to book only cores.',
  },
  {
    kind: 'choice',
    name: 'amount_default',
    label: 'Steps without a booked amount',
    hint: 'What a step takes of a booked amount that it does not require.',
    choices: [
      { value: 'none', label: 'take none of it' },
      { value: 'core_share', label: 'take their share of the cores' },
    ],
    initial: 'none',
    isRequired: true,
  },
];

const HALF_LIFE_MIN = 60;
const DAY_SECONDS = 86_400;

/** Fields of a farm: the order of its tasks (docs/policy.md#queue-policies). */
export const QUEUE_POLICY_FIELDS: readonly FormField[] = [
  {
    kind: 'choice',
    name: 'queue_policy',
    label: 'Queue policy',
    hint: 'The order of tasks: by priority and age, with equal numbers of cores in use, or by weight of past usage.',
    choices: [
      { value: 'fifo', label: 'fifo: by priority and age' },
      { value: 'balanced', label: 'balanced: equal numbers of cores' },
      { value: 'weighted', label: 'weighted: shares of past usage' },
    ],
    initial: 'fifo',
    isRequired: true,
  },
  {
    kind: 'choice',
    name: 'shared_by',
    label: 'Shared by',
    hint: 'Balanced: owner, project or job. Weighted: owner, project or queue.',
    choices: ['owner', 'project', 'job', 'queue'].map((value) => ({ value, label: value })),
    initial: 'owner',
    isRequired: true,
  },
  {
    kind: 'json',
    name: 'share_weights',
    label: 'Weights',
    hint: 'Only for weighted. A JSON object, such as {"ana": 2}. Others have the weight 1.',
    isObject: true,
  },
  {
    kind: 'integer',
    name: 'usage_half_life_seconds',
    label: 'Half-life of usage in seconds',
    hint: 'Only for weighted. Past usage loses half of its effect in this time.',
    min: HALF_LIFE_MIN,
    max: YEAR_SECONDS,
    whenEmpty: DAY_SECONDS,
    placeholder: String(DAY_SECONDS),
  },
  {
    kind: 'flag',
    name: 'priority_first',
    label: 'Priority before shares',
    hint: 'Jobs of higher priority come first, whatever others have used.',
    initial: true,
  },
];

/** Field of a farm: quarantine of workers (docs/quarantine.md). */
export const QUARANTINE_FIELD: FormField = {
  kind: 'flag',
  name: 'quarantine',
  label: 'Quarantine',
  hint: 'Keeps workers from tasks that fail on them and succeed elsewhere. Off lifts all quarantines.',
};

/** Fields of a farm: holds in outages that many jobs share (docs/outages.md). */
export const OUTAGE_FIELDS: readonly FormField[] = [
  {
    kind: 'flag',
    name: 'outage_holds',
    label: 'Outage holds',
    hint: 'Holds a usage pool or compute location while tasks of several jobs fail there with one message. Off ends all outages.',
  },
  {
    kind: 'integer',
    name: 'outage_jobs',
    label: 'Jobs of an outage',
    hint: 'Number of jobs of which tasks must fail with one message.',
    min: 1,
    max: 64,
    whenEmpty: 2,
    placeholder: '2',
  },
  {
    kind: 'integer',
    name: 'outage_workers',
    label: 'Workers of an outage',
    hint: 'Number of workers on which they must fail.',
    min: 1,
    max: 64,
    whenEmpty: 3,
    placeholder: '3',
  },
];

/** Returns the fields of the retry policy. An empty field is inherited from `parent`: "farm". */
export const retryFields = (parent: string): readonly FormField[] => [
  {
    kind: 'integer',
    name: 'max_attempts',
    label: 'Attempts per task',
    hint: 'A task is retried until it has failed this many times.',
    min: 1,
    max: 65_535,
    whenEmpty: null,
    placeholder: `from ${parent}`,
  },
  {
    kind: 'integer',
    name: 'retry_delay_seconds',
    label: 'Retry delay in seconds',
    min: 0,
    max: YEAR_SECONDS,
    whenEmpty: null,
    placeholder: `from ${parent}`,
  },
  {
    kind: 'integer',
    name: 'failure_limit',
    label: 'Failure limit of a job',
    hint: 'A job is paused after this many failures. Enter 0 for no limit.',
    min: 0,
    max: INT32_MAX,
    whenEmpty: null,
    placeholder: `from ${parent}`,
  },
  {
    kind: 'flag',
    name: 'canary_tasks',
    label: 'Canary tasks',
    hint: 'Tries the first, the middle and the last task of a step before the others, and parks jobs that fail everywhere.',
  },
];

/** Formats a limit; 0 means no limit. */
export const limitText = (limit: number): string => (limit === 0 ? 'no limit' : limit.toLocaleString('en'));
