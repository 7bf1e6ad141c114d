import { parseAttemptId, type AttemptId, type JobId, type WorkerId } from '../../../src/core/ids.ts';
import type { AttemptReport, LeaseReply } from '../../../src/core/wire/bus-messages.ts';
import type { RequireAllFields } from '../../../src/core/records/require-all-fields.ts';
import type { JobMessage } from '../job/messages.ts';
import { reportsReply, type LeaseAddress } from './reply-address.ts';

/*
 * Reports of attempts reach the service on two transports: one per message of the status stream, or several with a
 * lease request (docs/decisions/lease-reports.md). Both call `acceptReports`. They differ in the confirmation only:
 *
 * - stream: the message is acknowledged when its report is on disk or poisoned.
 * - lease request: the reply names the attempts. When a report is poisoned, `PoisonedReports` removes the confirmation
 *   from the reply, and the worker repeats all reports of that request on the stream.
 */

/** Maximum number of lease requests with a poisoned report whose reply is not sent yet. The oldest are forgotten. */
const POISONED_MAX = 10_000;

type Leases = Extract<LeaseReply, { type: 'leases' }>;

/** Reports for the actor of their job. */
interface ReportsEnvelope {
  readonly actor: 'job';
  readonly id: JobId;
  readonly message: Extract<JobMessage, { type: 'tasks.reported' }>;
}

/** How the worker is informed that the service has stored a report. */
type ReportConfirmation =
  | { readonly kind: 'acknowledge'; readonly acknowledge: () => void }
  | { readonly kind: 'lease-reply'; readonly inbox: string };

/** Reports of one worker that arrived in one message. */
interface ReceivedReports {
  readonly workerId: WorkerId;
  readonly reports: readonly AttemptReport[];
  readonly confirmation: ReportConfirmation;
}

/** Effects of accepting a report. */
export interface ReportPorts {
  /** Reports whether the job belongs to this shard. */
  readonly ownsJob: (job: JobId) => boolean;
  /** Sends a message to the kernel. `onProcessed` runs when all that it caused is on disk, or when it is poisoned. */
  readonly post: (envelope: ReportsEnvelope, onProcessed: (() => void) | null) => void;
}

/**
 * Sends reports to the actors of their jobs, one message per job, in the order received. Skips attempts of jobs that
 * this shard does not own.
 *
 * Call it before the lease request itself is posted: the kernel processes messages and flushes windows in order, so the
 * reply to the request is sent only after the changes of these reports are on disk.
 *
 * @returns The attempts that were sent to a job, in the order received: a lease reply may confirm these.
 */
export function acceptReports(
  { workerId, reports, confirmation }: ReceivedReports,
  { ownsJob, post }: ReportPorts,
): readonly AttemptId[] {
  // There is nearly always one job: searching a list is faster than building a map.
  const byJob: { readonly id: JobId; readonly reports: AttemptReport[] }[] = [];
  const attempts: AttemptId[] = [];
  for (const report of reports) {
    const id = parseAttemptId(report.attempt_id)?.jobId;
    if (id === undefined || !ownsJob(id)) continue;
    attempts.push(report.attempt_id);
    const ofJob = byJob.find((each) => each.id === id);
    if (ofJob === undefined) byJob.push({ id, reports: [report] });
    else ofJob.reports.push(report);
  }
  if (confirmation.kind === 'lease-reply') {
    const replyTo = reportsReply(confirmation.inbox);
    for (const { id, reports } of byJob)
      post({ actor: 'job', id, message: { type: 'tasks.reported', workerId, reports, replyTo } }, null);
    return attempts;
  }
  const { acknowledge } = confirmation;
  const acknowledgeLast = afterCalls(byJob.length, acknowledge);
  for (const { id, reports } of byJob)
    post({ actor: 'job', id, message: { type: 'tasks.reported', workerId, reports } }, acknowledgeLast);
  return attempts;
}

/** Returns a function that runs the action at its `count`-th call. Runs the action at once when `count` is 0. */
function afterCalls(count: number, action: () => void): () => void {
  if (count === 0) action();
  if (count <= 1) return action;
  let left = count;
  return () => {
    if (--left === 0) action();
  };
}

/**
 * Lease requests with a poisoned report. Their replies confirm nothing, and the worker repeats all of the reports on
 * the stream.
 */
export class PoisonedReports {
  private readonly inboxes = new Set<string>();

  add(inbox: string): void {
    const [oldest] = this.inboxes;
    if (oldest !== undefined && this.inboxes.size >= POISONED_MAX) this.inboxes.delete(oldest);
    this.inboxes.add(inbox);
  }

  /** Returns the reply to a lease request, with the attempts that it confirms. */
  confirmedBy(reply: LeaseReply, target: Pick<LeaseAddress, 'inbox' | 'reports'>): LeaseReply {
    const { inbox, reports } = target;
    if (reports.length === 0) return reply;
    const isPoisoned = this.inboxes.size > 0 && this.inboxes.delete(inbox);
    return isPoisoned || reply.type !== 'leases' ? reply : withConfirmed(reply, reports);
  }
}

/** Copies field by field: a spread takes several times as long. */
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
