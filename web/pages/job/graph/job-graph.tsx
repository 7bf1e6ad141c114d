import { useMemo } from 'react';
import { Link } from 'wouter';
import type { ConnectedJob } from '../../../../client/resources.ts';
import { classNames } from '../../../parts/class-names.ts';
import { StatusGlyph, statusColor } from '../../../parts/status-badge.tsx';
import { statusStyle } from '../../../parts/status-looks.ts';
import { countsText } from '../../../parts/task-counts.ts';
import { TaskProgress } from '../../../parts/task-progress.tsx';
import { GraphFrame, type NodePlace } from './graph-frame.tsx';
import { layoutOfSteps, NODE_HEIGHT, NODE_WIDTH, type GraphNode } from './step-layout.ts';

/** Jobs and their dependencies as a graph, with the progress of each. A node opens its job. `current` is the job of the page. */
export function JobGraph({ jobs, current }: { jobs: readonly ConnectedJob[]; current: string }) {
  const shape = JSON.stringify(jobs.map(({ id, depends_on }) => ({ name: id, depends_on })));
  // Each response brings new objects of the jobs, mostly with the same dependencies.
  const layout = useMemo(() => layoutOfSteps(JSON.parse(shape) as readonly GraphNode[]), [shape]);
  return (
    <GraphFrame label="Jobs and their dependencies" layout={layout} chosen={current}>
      {(placeOf) =>
        jobs.map((job) => (
          <Node key={job.id} job={job} place={placeOf(job.id)} isCurrent={job.id === current} />
        ))
      }
    </GraphFrame>
  );
}

function Node({
  job,
  place: { at, reveal },
  isCurrent,
}: {
  job: ConnectedJob;
  place: NodePlace;
  isCurrent: boolean;
}) {
  const look = statusStyle('job', job.status);
  const { succeeded, total, failed } = job.task_counts;
  return (
    <Link
      href={`/jobs/${encodeURIComponent(job.id)}${isCurrent ? '' : '?tab=dependencies'}`}
      className={classNames('step-graph__node', isCurrent && 'step-graph__node--chosen')}
      style={{ left: at.x, top: at.y, width: NODE_WIDTH, height: NODE_HEIGHT, ...statusColor(look.color) }}
      aria-current={isCurrent ? 'page' : undefined}
      draggable={false}
      title={`${job.name}: ${countsText(job.task_counts)}`}
      onFocus={reveal}
    >
      <span className="step-graph__name">
        <StatusGlyph kind="job" status={job.status} />
        <span>{job.name}</span>
        <span className="visually-hidden">{look.label.toLowerCase()}</span>
      </span>
      <span className="step-graph__count number">
        {succeeded.toLocaleString('en')}/{total.toLocaleString('en')}
        {failed > 0 && <span className="step-graph__failed"> {failed.toLocaleString('en')} failed</span>}
      </span>
      <TaskProgress counts={job.task_counts} isBare />
    </Link>
  );
}
