import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ProblemError } from '../../../client/problem.ts';
import { Panel } from '../../parts/panel.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { At } from '../../parts/time.tsx';
import { WhenVisible } from '../../parts/when-visible.tsx';
import { farmQueries } from '../../state/farm-queries.ts';
import { useService } from '../../state/service.tsx';
import { useRefresh } from '../../state/use-refresh.ts';
import { workerLogHref } from '../../state/worker-component.ts';

const REFRESH_MS = 5_000;

/** The last records of the log of the worker. */
export function WorkerLog({ id }: { id: string }) {
  return (
    <Panel title="Log" isWide beside={<Link href={workerLogHref(id)}>Show full log</Link>}>
      <WhenVisible height={90}>
        <LastRecords id={id} />
      </WhenVisible>
    </Panel>
  );
}

function LastRecords({ id }: { id: string }) {
  const { rest } = useService();
  const refetchInterval = useRefresh(REFRESH_MS);
  const { data, error, refetch } = useQuery({ ...farmQueries.workerLog(rest, id), refetchInterval });
  const isOff = error instanceof ProblemError && error.status === 503;
  return (
    <>
      {isOff ? (
        <p className="muted">{error.detail}</p>
      ) : error !== null && data === undefined ? (
        <QueryProblem error={error} what="the log" onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={4} label="Loading the log" />
      ) : data.length === 0 ? (
        <p className="muted">No records since the server started.</p>
      ) : (
        <ol className="worker-log">
          {data.toReversed().map(({ ts, level, msg, attrs = {} }) => (
            <li key={ts} className={`worker-log__line worker-log__line--${level}`}>
              <At iso={ts} form="time" />
              <span className="worker-log__level">{level}</span>
              <span>
                {msg}{' '}
                <span className="muted">
                  {Object.entries(attrs)
                    .map(([name, value]) => `${name}=${value}`)
                    .join(' ')}
                </span>
              </span>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
