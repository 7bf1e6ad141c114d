import { InvalidArgumentError, Option } from 'commander';
import type { QueryOf } from '../../client/rest-calls.ts';
import type {
  AuditOutcome,
  JobStatus,
  Role,
  TaskStatus,
  WebhookEventType,
  WorkerStatus,
} from '../../client/resources.ts';

/**
 * Values that the service accepts, for help, completion and validation before a request. The types of the contract
 * ensure that the lists are complete.
 */
const words = <Word extends string>(all: Readonly<Record<Word, true>>): readonly Word[] =>
  Object.keys(all).filter((word): word is Word => Object.hasOwn(all, word));

export const JOB_STATUSES = words<JobStatus>({
  pending: true,
  blocked: true,
  paused: true,
  running: true,
  completed: true,
  failed: true,
  canceled: true,
});

export const TASK_STATUSES = words<TaskStatus>({
  pending: true,
  ready: true,
  assigned: true,
  running: true,
  succeeded: true,
  failed: true,
  canceled: true,
});

export const WORKER_STATUSES = words<WorkerStatus>({ online: true, offline: true, disabled: true });

export const JOB_ORDERS = words<NonNullable<QueryOf<'get', '/jobs'>['sort_by']>>({
  created_at: true,
  priority: true,
  status: true,
  updated_at: true,
  name: true,
});

export const TASK_ORDERS = words<NonNullable<QueryOf<'get', '/jobs/{id}/tasks'>['sort_by']>>({
  created_at: true,
  status: true,
  updated_at: true,
  name: true,
});

export const WORKER_ORDERS = words<NonNullable<QueryOf<'get', '/workers'>['sort_by']>>({
  name: true,
  hostname: true,
  status: true,
  compute_location: true,
  registered_at: true,
  last_heartbeat_at: true,
});

export const DIRECTIONS = words<NonNullable<QueryOf<'get', '/jobs'>['sort_dir']>>({ asc: true, desc: true });

export const ROLES = words<Role>({ 'read-only': true, user: true, operator: true, admin: true });

export const AUDIT_OUTCOMES = words<AuditOutcome>({
  denied: true,
  changed: true,
  failed: true,
  decided: true,
});

const WEBHOOK_EVENT_SET: Readonly<Record<WebhookEventType, WebhookEventType>> = {
  'job.completed': 'job.completed',
  'job.failed': 'job.failed',
  'job.canceled': 'job.canceled',
  'job.parked': 'job.parked',
  'worker.offline': 'worker.offline',
  'pool.exhausted': 'pool.exhausted',
  'outage.began': 'outage.began',
  'outage.ended': 'outage.ended',
};
export const WEBHOOK_EVENTS: readonly WebhookEventType[] = Object.values(WEBHOOK_EVENT_SET);

/** Returns an option for one or several of the words, which are separate arguments or separated by commas. */
export function severalOf(flags: string, description: string, choices: readonly string[]): Option {
  const collect = (given: string, earlier: readonly string[] = []): readonly string[] => {
    const chosen = given.split(',');
    if (!chosen.every((word) => choices.includes(word)))
      throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
    return [...earlier, ...chosen];
  };
  return new Option(flags, description).choices(choices).argParser(collect);
}
