import type { Ports } from '../ports.ts';
import { bulk, BULK_ITEMS_MAX, itemCall } from './bulk.ts';
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
        return ports.jobLists.page({ ...query, offset: 0, limit: BULK_ITEMS_MAX });
      },
      (id) => act(call, id, ports),
      ports,
    )
  );
};

/** Checks that settings occur exactly with the action `set`. */
function settingsFault({ action, priority, queue_id: queueId }: BulkCall['body']): ProblemReply | null {
  const given = priority !== undefined ? '/priority' : queueId !== undefined ? '/queue_id' : null;
  if (action === 'set') {
    return given === null ? invalid('/action', 'set needs priority or queue_id') : null;
  }
  return given === null ? null : invalid(given, `is only for set, not for ${action}`);
}

function act(call: BulkCall, id: string, ports: Ports): AnyReply | Promise<AnyReply> {
  const { action, priority, queue_id } = call.body;
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
      return retryJob({ ...item, body: undefined }, ports);
  }
}
