import { Fragment } from 'react';
import { Link } from 'wouter';
import type { FarmWaiting, WaitingGroup } from '../../../client/resources.ts';
import { counted } from '../../parts/number-text.ts';
import { Panel } from '../../parts/panel.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { WAITING_LABELS, waitingLink } from './waiting-links.ts';

const MAX_JOBS = 4;

/** The ready tasks that do not run, by reason. */
export function WaitingPanel({
  farm,
  waiting,
  error,
  onRetry,
}: {
  farm: string;
  waiting: FarmWaiting | undefined;
  error: unknown;
  onRetry: () => void;
}) {
  return (
    <Panel
      title="Waiting tasks by reason"
      beside={
        waiting !== undefined && <span className="muted number">{counted(waiting.tasks, 'ready task')}</span>
      }
    >
      {waiting === undefined ? (
        error === null ? (
          <SkeletonLines lines={3} label="Loading the waiting tasks" />
        ) : (
          <QueryProblem error={error} what="the waiting tasks" onRetry={onRetry} />
        )
      ) : waiting.groups.length === 0 ? (
        <p className="muted">No tasks are waiting.</p>
      ) : (
        <ul className="farm-waiting">
          {waiting.groups.map((group, index) => (
            // Two groups can have the same reason, for example two paused queues.
            <Group key={`${group.reason} ${group.sentence} ${index}`} group={group} farm={farm} />
          ))}
        </ul>
      )}
      {waiting?.is_partial === true && (
        <p className="muted">Too many tasks are waiting. The list covers only some of them.</p>
      )}
    </Panel>
  );
}

function Group({ group, farm }: { group: WaitingGroup; farm: string }) {
  const link = waitingLink(group, farm);
  const shown = group.job_ids.slice(0, MAX_JOBS);
  const more = group.jobs - shown.length;
  return (
    <li className="farm-waiting__group">
      <span className="farm-waiting__count number">{group.tasks.toLocaleString('en')}</span>
      <div className="farm-waiting__words">
        <div className="farm-waiting__reason">
          <strong>{WAITING_LABELS[group.reason]}</strong>
          {link !== null && <Link href={link.href}>{link.label}</Link>}
        </div>
        <div>{group.sentence}</div>
        <div className="farm-waiting__jobs muted">
          {shown.map((id, index) => (
            <Fragment key={id}>
              {index > 0 && ' · '}
              <Link href={`/jobs/${encodeURIComponent(id)}`}>{group.job_names[index] ?? id}</Link>
            </Fragment>
          ))}
          {more > 0 && ` and ${counted(more, 'more job')}`}
        </div>
      </div>
    </li>
  );
}
