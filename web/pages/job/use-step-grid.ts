import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { Step, TaskGrid } from '../../../client/resources.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { useThrottle } from '../../state/use-throttle.ts';
import { cellsMatchCounts, gridAfter } from './model/cells.ts';
import { frameScale, type FrameScale } from './model/frames.ts';
import { useTaskEvents } from './use-job.ts';

/** Events keep the cells right for the most part; while much happens, counts and cells are never of the same moment. */
const RELOAD_MS = 3_000;
/** Grids of more tasks are loaded more seldom: their answers are large. */
const LARGE = 50_000;
const RELOAD_LARGE_MS = 15_000;

/** The grid of a step, live. */
export interface StepGrid {
  /** One character a task; null while it is loading. */
  readonly cells: string | null;
  readonly scale: FrameScale;
  readonly error: unknown;
  readonly retry: () => void;
}

/** Events of tasks change single cells; the grid is loaded again when it no longer agrees with the counts of its step. */
export function useStepGrid(step: Step): StepGrid {
  const { rest } = useService();
  const client = useQueryClient();
  const options = queries.taskGrid(rest, step.job_id, step.name);
  const { data, error, isFetching, refetch } = useQuery(options);
  const throttled = useThrottle(step.task_counts.total > LARGE ? RELOAD_LARGE_MS : RELOAD_MS);
  useTaskEvents(step.job_id, (events) => {
    client.setQueryData<TaskGrid>(options.queryKey, (grid) => grid && gridAfter(grid, events));
  });
  const shown = data?.steps.find(({ id }) => id === step.id);
  const cells = shown?.cells ?? null;
  const isOff = cells !== null && !isFetching && !cellsMatchCounts(cells, step.task_counts);
  useEffect(() => {
    if (isOff) throttled(() => void refetch());
  }, [isOff, cells, throttled, refetch]);
  const axis = JSON.stringify(shown?.axis ?? null);
  const count = step.task_counts.total;
  const scale = useMemo(
    // The axis never changes, but each answer brings a new object of it.
    () => frameScale(count, (JSON.parse(axis) as NonNullable<typeof shown>['axis'] | null) ?? undefined),
    [count, axis],
  );
  return { cells, scale, error, retry: () => void refetch() };
}
