import type { FarmId, JobId, QueueId, WorkerId } from '../ids.ts';
import type { OutageEndReason } from '../outages/changes.ts';
import type { OutageFacts } from '../outages/outage-facts.ts';
import type { TaskCounts } from '../lifecycle/task-counts.ts';

/** Types of the events that webhooks can be notified of (docs/webhooks.md#events). */
export const NOTICE_TYPES = [
  'job.completed',
  'job.failed',
  'job.canceled',
  'job.parked',
  'worker.offline',
  'pool.exhausted',
  'outage.began',
  'outage.ended',
] as const;
export type NoticeType = (typeof NOTICE_TYPES)[number];

/** Event of the test button. No webhook selects it. */
export const TEST_TYPE = 'webhook.test';

export interface NamedId<Id extends string> {
  readonly id: Id;
  readonly name: string;
}

/** Fields of the job of an event, named as in the resource (docs/contract/resources.md#job). */
export interface NoticeJob {
  readonly id: JobId;
  readonly name: string;
  readonly owner: string;
  readonly project: string;
  readonly priority: number;
  readonly status: string;
  readonly park_reason: string | null;
  readonly cancel_reason: string | null;
  readonly task_counts: Pick<TaskCounts, 'total' | 'succeeded' | 'failed' | 'canceled'>;
}

export interface NoticeWorker {
  readonly id: WorkerId;
  readonly name: string;
  readonly hostname: string;
  /** Whether the worker was stopped in an orderly way; otherwise the service lost contact. */
  readonly departed: boolean;
}

export interface NoticePool {
  readonly id: string;
  readonly name: string;
  readonly max_concurrent: number;
  /** RFC 3339. */
  readonly exhausted_since: string;
}

export interface NoticeOutage extends OutageFacts {
  /** Null while the outage lasts. */
  readonly end_reason: OutageEndReason | null;
}

/** The job, worker or outage that an event of a farm is about. */
export type FarmNoticeSubject =
  | {
      readonly type: Extract<NoticeType, `job.${string}`>;
      readonly queueId: QueueId;
      readonly job: NoticeJob;
    }
  | { readonly type: 'worker.offline'; readonly worker: NoticeWorker }
  | { readonly type: Extract<NoticeType, `outage.${string}`>; readonly outage: NoticeOutage };

/** An event as it is stored and sent. Names are those of farm and queue at the time of the event. */
export interface NoticeEvent {
  readonly type: NoticeType | typeof TEST_TYPE;
  /** RFC 3339. */
  readonly at: string;
  /** Null for an event that concerns all farms. */
  readonly farm: NamedId<FarmId> | null;
  readonly queue: NamedId<QueueId> | null;
  readonly job: NoticeJob | null;
  readonly worker: NoticeWorker | null;
  readonly pool: NoticePool | null;
  /** Absent for an event that is not about an outage. */
  readonly outage?: NoticeOutage;
}

const JOB_ENDS: Readonly<Partial<Record<NoticeEvent['type'], string>>> = {
  'job.completed': 'is completed',
  'job.failed': 'has failed',
  'job.canceled': 'was canceled',
  'job.parked': 'was parked',
};

/** Returns the event as one English sentence without a final period. */
export function summaryOf({ type, farm, job, worker, pool, outage }: NoticeEvent): string {
  const end = JOB_ENDS[type];
  if (job !== null && end !== undefined) {
    const { failed, total } = job.task_counts;
    const owner = job.owner === '' ? '' : ` of ${job.owner}`;
    const reason = job.park_reason ?? job.cancel_reason;
    const facts = [
      ...(failed > 0 ? [`${failed} of ${total} tasks failed`] : []),
      ...(reason === null ? [] : [reason]),
    ];
    return `Job ${job.name}${owner} ${end}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}`;
  }
  if (worker !== null) {
    const why = worker.departed ? 'it was stopped' : 'no contact';
    return `Worker ${worker.name}${farm === null ? '' : ` of farm ${farm.name}`} is offline (${why})`;
  }
  if (outage !== undefined) return outageSummary(outage, farm);
  if (pool !== null)
    return `Usage pool ${pool.name} has no free slot of ${pool.max_concurrent} since ${pool.exhausted_since}`;
  return 'This is a test of a Callsheet webhook';
}

const END_TEXTS: Readonly<Record<OutageEndReason, string>> = {
  'task passed': 'the task that was tried has passed',
  'ended by a user': 'a user has ended it',
  'turned off': 'outage holds were turned off',
  'clock set back': 'the clock was set back to before its start',
  'farm deleted': 'its farm was deleted',
};

function outageSummary(
  { place, message, failures, jobs, workers, end_reason: reason }: NoticeOutage,
  farm: NoticeEvent['farm'],
): string {
  const where = `${place}${farm === null ? '' : ` of farm ${farm.name}`}`;
  if (reason !== null) return `Outage of ${where} has ended (${END_TEXTS[reason]}): its tasks start again`;
  return (
    `Outage of ${where}: no tasks start there, because ${failures} attempts of ${jobs} jobs on ${workers} workers ` +
    `failed with one message (${message})`
  );
}
