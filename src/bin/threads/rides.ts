import { parseAttemptId, taskIdOf, type JobId } from '../../core/ids.ts';
import type { LeaseReply, LeaseRequest, StatusMessage } from '../../core/wire/bus-messages.ts';
import type { JobMessage } from '../../../actors/job/messages.ts';
import type { ReplyTo } from '../../../actors/kernel/address.ts';
import type { Waiting } from './reply-address.ts';

/** Requests with a poisoned report that wait for their answer: more than that are bugs by the thousand. */
const POISONED_MAX = 10_000;

/** A report on its way to the actor of its job. */
interface ReportEnvelope {
  readonly actor: 'job';
  readonly id: JobId;
  readonly message: Extract<JobMessage, { type: 'task.reported' }>;
}

/**
 * The reports that ride on a lease request, as messages to their jobs: to be posted before the request itself. The kernel works messages
 * from outside in the order in which they come and lets windows out in order, so that a reply to the request leaves only when all that
 * these reports changed is on disk. Attempts of jobs that are not this shard's are left out.
 */
export function reportEnvelopes(
  request: LeaseRequest,
  poisonedTo: ReplyTo,
  ownsJob: (job: JobId) => boolean,
): readonly ReportEnvelope[] {
  const envelopes: ReportEnvelope[] = [];
  for (const report of request.reports ?? []) {
    const attemptId = report.attempt_id;
    const address = parseAttemptId(attemptId);
    if (address === null || !ownsJob(address.jobId)) continue;
    const said: StatusMessage = {
      v: 1,
      task_id: taskIdOf(address),
      worker_id: request.worker_id,
      ...report,
    };
    envelopes.push({
      actor: 'job',
      id: address.jobId,
      message: { type: 'task.reported', report: said, attemptId, replyTo: poisonedTo },
    });
  }
  return envelopes;
}

/** Lease requests on which a report rode that was poisoned: their replies confirm nothing, so that the worker says all of it again. */
export class PoisonedRides {
  private readonly inboxes = new Set<string>();

  note(inbox: string): void {
    const [oldest] = this.inboxes;
    if (oldest !== undefined && this.inboxes.size >= POISONED_MAX) this.inboxes.delete(oldest);
    this.inboxes.add(inbox);
  }

  /** The reply to a lease request, with the attempts that it confirms. */
  confirmedBy(reply: LeaseReply, waiting: Extract<Waiting, { kind: 'lease' }>): LeaseReply {
    const { inbox, reports } = waiting;
    if (reports.length === 0) return reply;
    const isPoisoned = this.inboxes.size > 0 && this.inboxes.delete(inbox);
    // The new field first: behind what is copied it would give each reply a hidden class of its own (docs/performance.md).
    return isPoisoned || reply.type !== 'leases' ? reply : { confirmed: reports, ...reply };
  }
}
