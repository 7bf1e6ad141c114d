import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { Step, TaskGrid } from '../../../client/resources.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { useThrottle } from '../../state/use-throttle.ts';
import { cellsMatchCounts, gridAfter } from './model/cells.ts';
import { frameScale, type FrameScale } from './model/frames.ts';
import { useTaskEvents } from './use-job.ts';

/**
 * Shortest time between two loads of a grid, in milliseconds. Events keep the cells up to date, but under load the cells
 * and the counts of a step are rarely of the same moment.
 */
const RELOAD_MS = 3_000;
/** Grids of more tasks are loaded less often, because their responses are large. */
const LARGE_COUNT = 50_000;
const RELOAD_LARGE_MS = 15_000;

/** The grid of a step, live. */
export interface StepGrid {
  /** One character per task; null until it is loaded. */
  readonly cells: string | null;
  readonly scale: FrameScale;
  readonly error: unknown;
  readonly retry: () => void;
}

/** Returns the grid of a step. Task events change single cells. It is loaded again when it differs from the counts of the step. */
export function useStepGrid(step: Step): StepGrid {
  const { rest } = useService();
  const client = useQueryClient();
  const options = queries.taskGrid(rest, step.job_id, step.name);
  const { data, error, isFetching, refetch } = useQuery(options);
  const throttled = useThrottle(step.task_counts.total > LARGE_COUNT ? RELOAD_LARGE_MS : RELOAD_MS);
  useTaskEvents(step.job_id, (events) => {
    client.setQueryData<TaskGrid>(options.queryKey, (grid) => grid && gridAfter(grid, events));
  });
  const shown = data?.steps.find(({ id }) => id === step.id);
  const cells = shown?.cells ?? null;
  const isStale = cells !== null && !isFetching && !cellsMatchCounts(cells, step.task_counts);
  useEffect(() => {
    if (isStale) throttled(() => void refetch());
  }, [isStale, cells, throttled, refetch]);
  const axis = JSON.stringify(shown?.axis ?? null);
  const count = step.task_counts.total;
  const scale = useMemo(
    // The axis never changes, but each response brings a new object of it.
    () => frameScale(count, (JSON.parse(axis) as NonNullable<typeof shown>['axis'] | null) ?? undefined),
    [count, axis],
  );
  return { cells, scale, error, retry: () => void refetch() };
}
