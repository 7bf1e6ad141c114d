import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { JobDetail, JobUpdate } from '../../../client/resources.ts';
import { counted } from '../../parts/number-text.ts';
import { useMedia } from '../../parts/data-table/use-media.ts';
import { KeyValues } from '../../parts/key-values.tsx';
import { FarmName, QueueName } from '../../parts/names.tsx';
import { Notice } from '../../parts/notice.tsx';
import { statusColor } from '../../parts/status-badge.tsx';
import { statusStyle } from '../../parts/status-looks.ts';
import { countedParts } from '../../parts/task-counts.ts';
import { TaskProgress } from '../../parts/task-progress.tsx';
import { durationText } from '../../parts/time-text.ts';
import { Ago, Elapsed } from '../../parts/time.tsx';
import { hasJobEnded } from '../../state/ended.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { EditableNumber } from './editable-number.tsx';
import { estimateOf } from './model/estimate.ts';
import { noticeOf } from './model/remedies.ts';
import { retrySourceOf, type RetrySetting } from './model/retry-source.ts';

const NARROW = '(max-width: 640px)';
const INT_MAX = 2_147_483_647;

/** What is known of the job as a whole. */
export function JobSummary({ job, onChanged }: { job: JobDetail; onChanged: () => void }) {
  const notice = noticeOf(job);
  const isNarrow = useMedia(NARROW);
  const facts = (
    <div className="job-summary__facts">
      <KeyValues facts={placeFacts(job)} />
      <Settings job={job} onChanged={onChanged} />
    </div>
  );
  return (
    <>
      {notice !== null && <Notice {...notice} />}
      <section className="job-summary card" aria-label="Summary">
        <div className="job-summary__progress">
          <TaskProgress counts={job.task_counts} />
          <Counts job={job} />
        </div>
        <Times job={job} />
        {isNarrow ? (
          <details className="job-summary__more">
            <summary>Details and settings</summary>
            {facts}
          </details>
        ) : (
          facts
        )}
      </section>
    </>
  );
}

/** The tasks by status; each leads to those tasks. */
function Counts({ job }: { job: JobDetail }) {
  return (
    <ul className="job-summary__counts" aria-label="Tasks by status">
      {countedParts(job.task_counts).map(({ part, count }) => (
        <li key={part} style={statusColor(part)}>
          <Link href={`/jobs/${job.id}?tab=tasks&view=table&status=${part}`}>
            <strong className="number">{count.toLocaleString('en')}</strong>{' '}
            {statusStyle('task', part).label.toLowerCase()}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Times({ job }: { job: JobDetail }) {
  const hasEnded = hasJobEnded(job.status);
  return (
    <div className="job-summary__times">
      <Figure label={hasEnded ? 'From submission to end' : 'Elapsed'}>
        <Elapsed from={job.created_at} to={hasEnded ? job.updated_at : undefined} />
      </Figure>
      {!hasEnded && <Remaining job={job} />}
    </div>
  );
}

function Remaining({ job }: { job: JobDetail }) {
  const estimate = estimateOf(job.status, job.steps);
  if (estimate.kind === 'unknown') {
    return (
      <Figure label="Remaining" note={estimate.because}>
        <span className="muted">not known</span>
      </Figure>
    );
  }
  const { ms, isLeast, attempts, atOnce } = estimate;
  const made = `from ${counted(attempts, 'finished attempt')}, ${atOnce.toLocaleString('en')} at once`;
  return (
    <Figure label="Remaining" note={isLeast ? `${made}; some steps have not run yet` : made}>
      {isLeast ? 'over ' : 'about '}
      {durationText(ms < 10_000 ? Math.ceil(ms / 1_000) * 1_000 : ms)}
    </Figure>
  );
}

function Figure({ label, note, children }: { label: string; note?: string; children: ReactNode }) {
  return (
    <div className="job-summary__figure">
      <span className="muted">{label}</span>
      <span className="job-summary__value number">{children}</span>
      {note !== undefined && <span className="job-summary__note muted">{note}</span>}
    </div>
  );
}

const placeFacts = (job: JobDetail): readonly (readonly [string, ReactNode])[] => [
  ['Owner', job.submitter === job.owner ? job.owner : `${job.owner} (submitted by ${job.submitter})`],
  ['Project', job.project === '' ? null : job.project],
  ['Queue', <QueueName key="queue" id={job.queue_id} />],
  ['Farm', <FarmName key="farm" id={job.farm_id} />],
  [
    'Submitted',
    <span key="times">
      <Ago iso={job.created_at} /> <span className="muted">· changed</span> <Ago iso={job.updated_at} />
    </span>,
  ],
  ['Description', job.description ?? null],
];

/** Priority and retry policy, changed where they stand. */
function Settings({ job, onChanged }: { job: JobDetail; onChanged: () => void }) {
  const { rest } = useService();
  const { why } = usePermissions();
  const queue = useQuery(queries.queues(rest)).data?.find(({ id }) => id === job.queue_id);
  const farm = useQuery(queries.farms(rest)).data?.find(({ id }) => id === job.farm_id);
  const disabledReason = why('jobs.write');
  const save = async (body: JobUpdate, done: string): Promise<void> => {
    await rest.call('patch', '/jobs/{id}', { path: { id: job.id }, body });
    toasts.done(done);
    onChanged();
  };
  const noteOf = (setting: RetrySetting): { note?: string } => {
    const source = retrySourceOf(setting, job, queue, farm);
    return source === null ? {} : { note: `from ${source}` };
  };
  const { max_attempts: attempts, retry_delay_seconds: delay, failure_limit: limit } = job.effective_retry;
  return (
    <KeyValues
      facts={[
        [
          'Priority',
          <EditableNumber
            key="priority"
            label="Priority"
            value={job.priority}
            shown={String(job.priority)}
            min={-INT_MAX - 1}
            max={INT_MAX}
            pointer="/priority"
            disabledReason={disabledReason}
            onSave={(priority) => save({ priority }, `The priority is ${priority}`)}
          />,
        ],
        [
          'Attempts',
          <EditableNumber
            key="attempts"
            label="Attempts"
            value={attempts}
            shown={`${attempts.toLocaleString('en')} a task`}
            {...noteOf('max_attempts')}
            min={1}
            max={INT_MAX}
            pointer="/max_attempts"
            disabledReason={disabledReason}
            onSave={(value) => save({ max_attempts: value }, `Tasks have ${value} attempts`)}
          />,
        ],
        [
          'Retry delay',
          <EditableNumber
            key="delay"
            label="Retry delay"
            value={delay}
            shown={delay === 0 ? 'none' : `${delay.toLocaleString('en')} s`}
            {...noteOf('retry_delay_seconds')}
            min={0}
            max={INT_MAX}
            pointer="/retry_delay_seconds"
            disabledReason={disabledReason}
            onSave={(value) => save({ retry_delay_seconds: value }, `The retry delay is ${value} s`)}
          />,
        ],
        [
          'Failure limit',
          <EditableNumber
            key="limit"
            label="Failure limit"
            value={limit}
            shown={
              limit === 0
                ? `none, ${job.failed_attempts.toLocaleString('en')} so far`
                : `${job.failed_attempts.toLocaleString('en')} of ${limit.toLocaleString('en')}`
            }
            {...noteOf('failure_limit')}
            min={0}
            max={INT_MAX}
            pointer="/failure_limit"
            disabledReason={disabledReason}
            onSave={(value) =>
              save(
                { failure_limit: value },
                value === 0 ? 'There is no failure limit' : `The failure limit is ${value}`,
              )
            }
          />,
        ],
      ]}
    />
  );
}
