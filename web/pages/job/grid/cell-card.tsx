import { useQuery } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { StatusBadge } from '../../../parts/status-badge.tsx';
import { durationText } from '../../../parts/time-text.ts';
import { Elapsed } from '../../../parts/time.tsx';
import { queries } from '../../../state/queries.ts';
import { useService } from '../../../state/service.tsx';
import { taskAt } from '../model/cells.ts';
import { skippedText } from '../model/skipped-text.ts';

/** Time that the pointer must rest on a cell before its task is loaded, in milliseconds. */
const REST_MS = 180;
const MARGIN = 6;

interface CellCorner {
  readonly x: number;
  /** Distance from the top of the grid, including scrolled rows. */
  readonly top: number;
  readonly size: number;
  /** Width of the visible part of the grid. */
  readonly width: number;
}

/** A card next to a cell with the details of its task. */
export function CellCard({
  stepId,
  index,
  name,
  status,
  showsTask,
  at,
  box,
}: {
  stepId: string;
  index: number;
  name: string;
  status: string;
  /** Loads the task; false while a range is selected. */
  showsTask: boolean;
  at: CellCorner;
  box: RefObject<HTMLDivElement | null>;
}) {
  const card = useRef<HTMLDivElement>(null);
  const [rested, setRested] = useState<number | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setRested(index), REST_MS);
    return () => clearTimeout(timer);
  }, [index]);
  useLayoutEffect(() => {
    const element = card.current;
    const scroller = box.current;
    if (element === null || scroller === null) return;
    const { width, height } = element.getBoundingClientRect();
    const y = at.top - scroller.scrollTop;
    const below = y + at.size + MARGIN;
    const isAbove = scroller.getBoundingClientRect().top + below + height > window.innerHeight;
    element.style.left = `${Math.max(0, Math.min(at.x, at.width - width))}px`;
    element.style.top = `${isAbove ? y - height - MARGIN : below}px`;
  });
  return (
    <div ref={card} className="cell-card" aria-hidden="true">
      <div className="row">
        <strong>{name}</strong>
        <StatusBadge kind="task" status={status} />
      </div>
      {showsTask && rested === index && <TaskFacts id={taskAt(stepId, index)} status={status} />}
    </div>
  );
}

function TaskFacts({ id, status }: { id: string; status: string }) {
  const { rest } = useService();
  const { data, isError } = useQuery({ ...queries.task(rest, id), staleTime: 1_000 });
  if (isError) return null;
  if (data === undefined) return <Skeleton width="16ch" />;
  const { parameters = {}, assigned_worker_id: worker, started_at: started, ended_at: ended } = data;
  const values = Object.entries(parameters);
  return (
    <>
      {values.length > 1 && (
        <div className="muted">{values.map(([name, value]) => `${name} ${value}`).join(', ')}</div>
      )}
      {worker !== undefined && (
        <div>
          <span className="muted">on</span>{' '}
          {data.details?.workers.find((each) => each.id === worker)?.name ?? worker}
          {started !== undefined && (
            <>
              {' '}
              <span className="muted">for</span>{' '}
              {status === 'running' ? (
                <Elapsed from={started} />
              ) : (
                ended !== undefined && durationText(Date.parse(ended) - Date.parse(started))
              )}
            </>
          )}
        </div>
      )}
      {data.progress !== undefined && status === 'running' && <div>{Math.floor(data.progress)} %</div>}
      {data.skipped !== undefined && <div className="muted">{skippedText(data.skipped)}</div>}
      {data.failure_reason !== undefined && <div className="cell-card__reason">{data.failure_reason}</div>}
      {data.error_line !== undefined && <div className="cell-card__reason mono">{data.error_line}</div>}
      {data.unschedulable_reason !== undefined && (
        <div className="cell-card__reason">{data.unschedulable_reason}</div>
      )}
    </>
  );
}
