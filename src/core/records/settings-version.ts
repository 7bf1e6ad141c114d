import type { Problem } from '../problems.ts';
import { textHashDigits } from '../text-hash.ts';
import { timestampOf } from '../timestamp.ts';
import type { RetryOverride } from '../lifecycle/retry-policy.ts';
import { fieldsOfRule, type RetryRule } from '../retry-rules/retry-rule.ts';
import type { ComputeLocationRecord } from './compute-location.ts';
import type { FarmRecord } from './farm.ts';
import { setCaps } from './job-caps.ts';
import type { JobRecord } from './job.ts';
import type { NamedCaps } from './named-caps.ts';
import type { ProductRecord } from './product.ts';
import type { QueueEnvironmentRecord } from './queue-environment.ts';
import type { QueueRecord } from './queue.ts';
import type { StorageLocationRecord } from './storage-location.ts';
import type { UsagePoolRecord } from './usage-pool.ts';
import type { UserRecord } from './user.ts';
import type { WebhookRecord } from './webhook.ts';
import type { WorkerRecord } from './worker.ts';

/**
 * Versions of what clients can change of an object (docs/rest.md#concurrent-changes). A version has a part for each
 * setting, so that a comparison with an older one names the settings that differ.
 */

/** Settings by their name in the REST API, always in the same order. */
export type Settings = Readonly<Record<string, unknown>>;

/** Versions that a client accepts; null for any. */
export type IfMatch = readonly string[] | null;

const retryOf = ({ maxAttempts, retryDelaySeconds, failureLimit, canaryTasks }: RetryOverride): Settings => ({
  max_attempts: maxAttempts,
  retry_delay_seconds: retryDelaySeconds,
  failure_limit: failureLimit,
  canary_tasks: canaryTasks === true ? true : undefined,
});

/** Rules that are absent and an empty list are the same setting. */
const rulesOf = (rules: readonly RetryRule[] | undefined): unknown =>
  rules === undefined || rules.length === 0 ? undefined : rules.map(fieldsOfRule);

/** Settings of each kind of object. */
export const SETTINGS = {
  farm: (
    farm: Pick<
      FarmRecord,
      | 'name'
      | 'description'
      | 'maxConcurrentTasks'
      | 'retry'
      | 'bookedAmounts'
      | 'quarantine'
      | 'queuePolicy'
      | 'outages'
    > &
      NamedCaps,
  ): Settings => ({
    name: farm.name,
    description: farm.description,
    max_concurrent_tasks: farm.maxConcurrentTasks,
    owner_caps: farm.ownerCaps,
    project_caps: farm.projectCaps,
    ...retryOf(farm.retry),
    booked_amounts: farm.bookedAmounts?.names,
    amount_default: farm.bookedAmounts?.byDefault,
    queue_policy: farm.queuePolicy,
    quarantine: farm.quarantine?.isOn,
    outage_holds: farm.outages,
  }),
  queue: (queue: QueueRecord): Settings => ({
    name: queue.name,
    description: queue.description,
    priority: queue.priority,
    max_concurrent_tasks: queue.maxConcurrentTasks,
    owner_caps: queue.ownerCaps,
    project_caps: queue.projectCaps,
    paused: queue.paused,
    ...retryOf(queue.retry),
    run_as_user: queue.runAsUser,
    run_as_group: queue.runAsGroup,
    retry_rules: rulesOf(queue.retryRules),
    preempt_after_seconds: queue.preemptAfterSeconds,
    preemptible: queue.preemptible,
  }),
  'queue environment': ({ priority, format, template }: QueueEnvironmentRecord): Settings => ({
    priority,
    format,
    template,
  }),
  'usage pool': (pool: UsagePoolRecord): Settings => ({
    name: pool.name,
    max_concurrent: pool.maxConcurrent,
    server_hint: pool.serverHint,
    retry_rules: rulesOf(pool.retryRules),
    counts: pool.counts,
  }),
  'compute location': (location: ComputeLocationRecord): Settings => ({
    name: location.name,
    description: location.description,
  }),
  'storage location': (location: StorageLocationRecord): Settings => ({
    name: location.name,
    description: location.description,
    roots: Object.fromEntries(location.roots.map(({ place, root }) => [place, root])),
  }),
  product: ({ revision, createdAt }: Pick<ProductRecord, 'revision' | 'createdAt'>): Settings => ({
    revision,
    created_at: timestampOf(createdAt),
  }),
  job: (job: JobRecord): Settings => ({
    queue_id: job.queueId,
    priority: job.priority,
    start_after: job.startAfter === undefined ? undefined : timestampOf(job.startAfter),
    ...retryOf(job.retry),
    retry_rules: rulesOf(job.retryRules),
    max_concurrent_tasks: setCaps(job).maxConcurrentTasks,
    step_max_concurrent_tasks: setCaps(job).stepCaps,
  }),
  user: (user: UserRecord): Settings => ({
    display_name: user.displayName,
    role: user.role,
    disabled: user.disabled,
  }),
  webhook: (webhook: WebhookRecord): Settings => ({
    name: webhook.name,
    url: webhook.url,
    format: webhook.format,
    events: webhook.events,
    farm_id: webhook.farmId,
    queue_id: webhook.queueId,
    owner: webhook.owner,
    enabled: webhook.enabled,
  }),
  worker: ({ status, disabling }: Pick<WorkerRecord, 'status' | 'disabling'>): Settings => ({
    disabled: status === 'disabled',
    mode: disabling?.stopsTasks === undefined ? undefined : disabling.stopsTasks ? 'now' : 'after-tasks',
    reason: disabling?.reason,
    by: disabling?.by,
    until: disabling?.until === undefined ? undefined : timestampOf(disabling.until),
  }),
} as const;

export type SettingsKind = keyof typeof SETTINGS;

/** Settings whose values no response contains. */
const HIDDEN: ReadonlySet<string> = new Set(['url']);
/** Longer values are not repeated in a problem. */
const SHOWN_CHARACTERS_MAX = 200;
const PART_CHARACTERS = 8;

/** Returns the version of settings: a hash of each value. */
export const versionOf = (settings: Settings): string => Object.values(settings).map(hashOf).join('');

/**
 * Returns why a change that expects versions is refused: the settings that differ from the one that is most similar;
 * null if one of them is the present version.
 */
export function versionRefusal(kind: SettingsKind, settings: Settings, ifMatch: IfMatch): Problem | null {
  if (ifMatch === null) return null;
  const present = versionOf(settings);
  if (ifMatch.includes(present)) return null;
  const [changed] = ifMatch
    .filter((version) => version.length === present.length)
    .map((version) =>
      Object.entries(settings).filter((_setting, at) => partOf(version, at) !== partOf(present, at)),
    )
    .sort((one, other) => one.length - other.length);
  if (changed === undefined)
    return { kind: 'precondition-failed', detail: `If-Match has no version of this ${kind}` };
  const errors = changed.map(([name, value]) => ({ pointer: `/${name}`, detail: changeText(name, value) }));
  const names = changed.map(([name]) => name).join(', ');
  return {
    kind: 'precondition-failed',
    detail: `the ${kind} was changed since it was read: ${names}`,
    errors,
  };
}

const partOf = (version: string, at: number): string =>
  version.slice(at * PART_CHARACTERS, (at + 1) * PART_CHARACTERS);

function changeText(name: string, value: unknown): string {
  const text = value === undefined ? 'not set' : JSON.stringify(value);
  return HIDDEN.has(name) || text.length > SHOWN_CHARACTERS_MAX ? 'has changed' : `is now ${text}`;
}

/** Returns the FNV-1a hash of a value as eight hexadecimal digits. */
function hashOf(value: unknown): string {
  return textHashDigits(value === undefined ? '' : JSON.stringify(value));
}
