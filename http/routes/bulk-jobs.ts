import type { Ports } from '../ports.ts';
import { bulk, BULK_ITEMS_MAX, itemCall, type ItemOutcome } from './bulk.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import { findJob } from './find-task.ts';
import { cancelJob, deleteJob, jobFilterOf } from './jobs.ts';
import { invalid, type AnyReply, type Call, type Handler, type ProblemReply } from './operation.ts';
import { retryJob } from './retry.ts';
import { updateJob } from './update-job.ts';

type BulkCall = Call<'bulkJobs'>;

export const bulkJobs: Handler<'bulkJobs'> = (call, ports) => {
  const { body } = call;
  return (
    settingsFault(body) ??
    bulk(
      body,
      'jobs',
      ({ status, statuses = status === undefined ? undefined : [status], ...others }) => {
        const wanted = statuses?.filter((each) => status === undefined || each === status);
        const filter = { ...others, ...(wanted !== undefined && { statuses: wanted }) };
        const query = { ...jobFilterOf(filter), sortBy: 'created_at', descending: false } as const;
        return ports.jobLists.page({ ...query, offset: 0, limit: BULK_ITEMS_MAX }, call.principal.ownerScope);
      },
      (id) => actAndCompare(call, id, ports),
      ports,
    )
  );
};

/** Checks that settings occur exactly with the action `set`. */
function settingsFault({
  action,
  priority,
  queue_id: queueId,
  with_dependents: withDependents,
}: BulkCall['body']): ProblemReply | null {
  if (withDependents !== undefined && action !== 'retry')
    return invalid('/with_dependents', `is only for retry, not for ${action}`);
  const given = priority !== undefined ? '/priority' : queueId !== undefined ? '/queue_id' : null;
  if (action === 'set') {
    return given === null ? invalid('/action', 'set needs priority or queue_id') : null;
  }
  return given === null ? null : invalid(given, `is only for set, not for ${action}`);
}

/** Performs the action on one job, and reports whether the job had the requested state before. */
async function actAndCompare(call: BulkCall, id: string, ports: Ports): Promise<ItemOutcome> {
  const before = findJob(ports.store, id, call.principal.ownerScope);
  const reply = await act(call, id, ports);
  return { reply, isUnchanged: !before.ok || hasState(before.value, call.body) };
}

function hasState(job: JobRecord, { action, priority, queue_id: queueId }: BulkCall['body']): boolean {
  switch (action) {
    case 'pause':
      return job.status === 'paused';
    case 'resume':
      return job.status !== 'paused';
    case 'cancel':
      return job.status === 'canceled';
    case 'set':
      return (priority ?? job.priority) === job.priority && (queueId ?? job.queueId) === job.queueId;
    case 'delete':
    case 'retry':
      return false;
  }
}

function act(call: BulkCall, id: string, ports: Ports): AnyReply | Promise<AnyReply> {
  const { action, priority, queue_id, with_dependents: withDependents } = call.body;
  const item = itemCall(call, id);
  switch (action) {
    case 'pause':
    case 'resume':
      return updateJob({ ...item, body: { action } }, ports);
    case 'set': {
      const settings = {
        ...(priority !== undefined && { priority }),
        ...(queue_id !== undefined && { queue_id }),
      };
      return updateJob({ ...item, body: settings }, ports);
    }
    case 'cancel':
      return cancelJob({ ...item, body: undefined }, ports);
    case 'delete':
      return deleteJob({ ...item, body: undefined }, ports);
    case 'retry':
      return retryJob(
        { ...item, query: { with_dependents: withDependents === true, dry_run: false }, body: undefined },
        ports,
      );
  }
}
