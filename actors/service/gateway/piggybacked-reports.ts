import { parseAttemptId, type AttemptId, type JobId } from '../../../src/core/ids.ts';
import type { AttemptReport, LeaseReply, LeaseRequest } from '../../../src/core/wire/bus-messages.ts';
import type { RequireAllFields } from '../../../src/core/records/require-all-fields.ts';
import type { JobMessage } from '../job/messages.ts';
import type { ReplyTo } from '../../kernel/address.ts';
import type { LeaseAddress } from './reply-address.ts';

/** Requests with a poisoned report that wait for their answer: more than that are bugs by the thousand. */
const POISONED_MAX = 10_000;

type Leases = Extract<LeaseReply, { type: 'leases' }>;

/** Reports on their way to the actor of their job. */
interface ReportsEnvelope {
  readonly actor: 'job';
  readonly id: JobId;
  readonly message: Extract<JobMessage, { type: 'tasks.reported' }>;
}

/** What rides on a lease request. */
interface PiggybackedReports {
  /** One message to each job. */
  readonly envelopes: readonly ReportsEnvelope[];
  /** The attempts that they report on, in the order of the request. */
  readonly attempts: readonly AttemptId[];
}

/**
 * The reports that ride on a lease request, as messages to their jobs: to be posted before the request itself. The kernel works messages
 * from outside in the order in which they come and lets windows out in order, so that a reply to the request leaves only when all that
 * these reports changed is on disk. Attempts of jobs that are not this shard's are left out.
 */
export function extractReports(
  request: LeaseRequest,
  poisonedTo: ReplyTo<never>,
  ownsJob: (job: JobId) => boolean,
): PiggybackedReports {
  // Nearly always there is one job: a list is searched faster than a map is made.
  const ofJobs: { readonly id: JobId; readonly reports: AttemptReport[] }[] = [];
  const attempts: AttemptId[] = [];
  for (const report of request.reports ?? []) {
    const id = parseAttemptId(report.attempt_id)?.jobId;
    if (id === undefined || !ownsJob(id)) continue;
    attempts.push(report.attempt_id);
    const ofJob = ofJobs.find((each) => each.id === id);
    if (ofJob === undefined) ofJobs.push({ id, reports: [report] });
    else ofJob.reports.push(report);
  }
  const envelopes = ofJobs.map(({ id, reports }): ReportsEnvelope => ({
    actor: 'job',
    id,
    message: { type: 'tasks.reported', workerId: request.worker_id, reports, replyTo: poisonedTo },
  }));
  return { envelopes, attempts };
}

/** Lease requests on which a report rode that was poisoned: their replies confirm nothing, so that the worker says all of it again. */
export class PoisonedReports {
  private readonly inboxes = new Set<string>();

  note(inbox: string): void {
    const [oldest] = this.inboxes;
    if (oldest !== undefined && this.inboxes.size >= POISONED_MAX) this.inboxes.delete(oldest);
    this.inboxes.add(inbox);
  }

  /** The reply to a lease request, with the attempts that it confirms. */
  confirmedBy(reply: LeaseReply, waiting: Pick<LeaseAddress, 'inbox' | 'reports'>): LeaseReply {
    const { inbox, reports } = waiting;
    if (reports.length === 0) return reply;
    const isPoisoned = this.inboxes.size > 0 && this.inboxes.delete(inbox);
    return isPoisoned || reply.type !== 'leases' ? reply : withConfirmed(reply, reports);
  }
}

/** Field by field: a copy by a spread costs several times as much. */
function withConfirmed(
  {
    assignments,
    steps,
    path_map,
  }: RequireAllFields<Leases, 'v' | 'type' | 'assignments' | 'steps' | 'path_map' | 'confirmed'>,
  confirmed: readonly AttemptId[],
): LeaseReply {
  if (path_map === undefined) return { v: 1, type: 'leases', assignments, steps, confirmed };
  return { v: 1, type: 'leases', assignments, steps, path_map, confirmed };
}
