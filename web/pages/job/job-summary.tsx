import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { JobDetail } from '../../../client/resources.ts';
import { counted } from '../../parts/number-text.ts';
import { useMedia } from '../../parts/data-table/use-media.ts';
import { KeyValues } from '../../parts/key-values.tsx';
import { FarmName, QueueName } from '../../parts/names.tsx';
import { Notice } from '../../parts/notice.tsx';
import { statusColor } from '../../parts/status-badge.tsx';
import { statusStyle } from '../../parts/status-looks.ts';
import { countedParts, fillOf } from '../../parts/task-counts.ts';
import { TaskProgress } from '../../parts/task-progress.tsx';
import { durationText } from '../../parts/time-text.ts';
import { Ago, Elapsed } from '../../parts/time.tsx';
import { hasJobEnded } from '../../state/ended.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { JobSettings } from './job-settings.tsx';
import { estimateOf } from './model/estimate.ts';
import { linksOf, type ShownLink } from './model/job-links.ts';
import { noticeOf } from './model/remedies.ts';

const NARROW = '(max-width: 640px)';

/** The progress, times, origin and settings of a job. */
export function JobSummary({ job, onChanged }: { job: JobDetail; onChanged: () => void }) {
  const notice = noticeOf(job);
  const isNarrow = useMedia(NARROW);
  const { rest } = useService();
  const templates = useQuery(queries.settings(rest)).data?.web.job_links ?? [];
  const links = linksOf(templates, job);
  const facts = (
    <div className="job-summary__facts">
      <KeyValues
        facts={[
          ...originFacts(job),
          ['Links', links.length === 0 ? null : <Links key="links" links={links} />],
        ]}
      />
      <JobSettings job={job} onChanged={onChanged} />
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

/** Links to other programs, which the operator has set (`web.job_links`). */
function Links({ links }: { links: readonly ShownLink[] }) {
  return (
    <span className="row">
      {links.map(({ name, href }) => (
        <a key={name} href={href} rel="noreferrer" target="_blank">
          {name}
        </a>
      ))}
    </span>
  );
}

/** The number of tasks by status, with links to the tasks. */
function Counts({ job }: { job: JobDetail }) {
  return (
    <ul className="job-summary__counts" aria-label="Tasks by status">
      {countedParts(job.task_counts).map(({ part, count }) => (
        <li key={part} style={statusColor(part)}>
          <Link href={`/jobs/${job.id}?tab=tasks&view=table&status=${part}`}>
            <span
              className={`job-summary__swatch task-fill--${fillOf(part)} task-fill--${part}`}
              aria-hidden="true"
            />
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
      <Figure label="Remaining" note={estimate.reason}>
        <span className="muted">unknown</span>
      </Figure>
    );
  }
  const { ms, isLowerBound, attempts, concurrency } = estimate;
  const basis = `from ${counted(attempts, 'finished attempt')}, ${counted(concurrency, 'concurrent task')}`;
  return (
    <Figure label="Remaining" note={isLowerBound ? `${basis}. Some steps have not run yet.` : basis}>
      {isLowerBound ? 'at least ' : 'about '}
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

const originFacts = (job: JobDetail): readonly (readonly [string, ReactNode])[] => [
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
  ['Failures', job.failure_summary.failed_count === 0 ? null : <Failures key="failures" job={job} />],
  ['Description', job.description ?? null],
];

/** The most frequent reason of the failures, or the only one with an error line, with a link to all of them. */
function Failures({ job: { id, failure_summary: summary, first_failure: first } }: { job: JobDetail }) {
  const others = summary.distinct_reasons - 1;
  const reason = others === 0 ? (first ?? summary.dominant_reason) : summary.dominant_reason;
  return (
    <span>
      <Link href={`/jobs/${id}?tab=failures`}>{reason || 'no reason reported'}</Link>
      {others > 0 && <span className="muted"> and {counted(others, 'other reason')}</span>}
    </span>
  );
}
