import type { JobStatus } from '../../../src/core/lifecycle/job-transitions.ts';
import { cancelReasonOf, parkReasonOf, type JobRecord } from '../../../src/core/records/job.ts';
import type { FarmNoticeSubject } from '../../../src/core/webhooks/notice.ts';
import type { ServiceContext } from '../service-system.ts';

type JobNoticeType = Extract<FarmNoticeSubject['type'], `job.${string}`>;

const TYPES: Readonly<Partial<Record<JobStatus, JobNoticeType>>> = {
  completed: 'job.completed',
  failed: 'job.failed',
  canceled: 'job.canceled',
};

/** Raises the event of a job that has just ended or was parked. Other changes of the status raise none. */
export function raiseJobNotice(record: JobRecord, context: ServiceContext<'job'>): void {
  const isParked = record.status === 'paused' && parkReasonOf(record) !== null;
  const type = isParked ? 'job.parked' : TYPES[record.status];
  if (type === undefined) return;
  const { total, succeeded, failed, canceled } = record.taskCounts;
  context.send('farm', record.farmId, {
    type: 'notice.raised',
    subject: {
      type,
      queueId: record.queueId,
      job: {
        id: record.id,
        name: record.name,
        owner: record.owner,
        project: record.project,
        priority: record.priority,
        status: record.status,
        park_reason: parkReasonOf(record),
        cancel_reason: cancelReasonOf(record),
        task_counts: { total, succeeded, failed, canceled },
      },
    },
  });
}
