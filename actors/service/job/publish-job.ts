import type { JobRecord } from '../../../src/core/records/job.ts';
import type { JobEvent } from '../../../src/core/wire/events.ts';
import { timestampOf } from '../../../src/core/timestamp.ts';
import type { ServiceContext } from '../service-system.ts';

/**
 * Publishes a job event: its status, or `removed` for a deleted job (docs/contract/events.md). `at` is milliseconds
 * since the epoch.
 */
export function publishJob(
  record: JobRecord,
  status: JobEvent['status'],
  at: number,
  context: ServiceContext<'job'>,
): void {
  context.effect({
    kind: 'event',
    event: {
      subject: 'jobs',
      payload: {
        job_id: record.id,
        name: record.name,
        owner: record.owner,
        queue_id: record.queueId,
        status,
        updated_at: timestampOf(at),
      },
    },
  });
}
