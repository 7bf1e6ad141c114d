import { useMemo } from 'react';
import type { JobDetail, Step, Task, TaskStatus } from '../../../client/resources.ts';
import { targetOfSelection } from '../../parts/data-table/bulk-target.ts';
import type { RowSelection } from '../../parts/data-table/row-selection.ts';
import { useRowSelection } from '../../parts/data-table/use-row-selection.ts';
import { useRowWindow, type RowWindow } from '../../parts/data-table/use-row-window.ts';
import type { Column } from '../../parts/data-table/column.ts';
import type { ProgressPart } from '../../parts/status-looks.ts';
import { useService } from '../../state/service.tsx';
import { taskAfter } from '../../state/task-after.ts';
import { useThrottle } from '../../state/use-throttle.ts';
import { useUrlState } from '../../state/use-url-state.ts';
import { bulkOnTasks, formatBulkOutcome } from './bulk-tasks.ts';
import { JOB_VIEW } from './job-view.ts';
import { taskColumns } from './task-columns.tsx';
import { useJobAction } from './use-job-action.ts';
import { REFRESH_MS, useTaskEvents } from './use-job.ts';

const SORT_KEYS = ['created_at', 'name', 'status', 'updated_at'] as const;
type SortKey = (typeof SORT_KEYS)[number];

/** Model of the table of tasks: its query in the address, its rows, and its selection. */
export interface TaskTableModel {
  readonly rows: RowWindow<Task>;
  readonly columns: readonly Column<Task>[];
  readonly sort: { readonly key: SortKey; readonly dir: 'asc' | 'desc' };
  /** Identifies the query of the list. The selection is cleared when it changes. */
  readonly listKey: string;
  readonly selection: RowSelection;
  readonly setSelection: (selection: RowSelection) => void;
  readonly selectedCount: number;
  readonly selectedIds: () => Promise<readonly string[]>;
  readonly isBusy: boolean;
  /** Applies an action to tasks. `failure` is the title of the message if it fails. */
  readonly act: (action: 'retry' | 'cancel', failure: string, ids: () => Promise<readonly string[]>) => void;
}

/** Returns the status to query for a part of the progress. Unschedulable tasks are ready tasks. */
const statusOf = (part: ProgressPart | undefined): TaskStatus | undefined =>
  part === 'unschedulable' ? 'ready' : part;

/** `step` is undefined for the tasks of all steps. */
export function useTaskTable(job: JobDetail, step: Step | undefined, onChanged: () => void): TaskTableModel {
  const { rest } = useService();
  const [{ status: picked, sort, dir }] = useUrlState(JOB_VIEW);
  const [isBusy, run] = useJobAction(onChanged);
  const key = SORT_KEYS.find((one) => one === sort) ?? 'created_at';
  const query = { status: statusOf(picked[0]), step: step?.id, sort_by: key, sort_dir: dir } as const;
  const path = { id: job.id };
  const listKey = JSON.stringify([job.id, query]);
  const [selection, setSelection] = useRowSelection(listKey);
  const rows = useRowWindow<Task>({
    key: ['jobs', 'one', job.id, 'tasks', query],
    fetchPage: (offset, limit, signal) =>
      rest.call('get', '/jobs/{id}/tasks', { path, query: { ...query, offset, limit }, signal }),
  });
  useLiveTasks(job.id, rows);
  const steps = job.steps.map(({ id, name }) => `${id} ${name}`).join('\n');
  // Names of steps never change, but each response brings a new object of the job.
  // oxlint-disable-next-line react/exhaustive-deps
  const columns = useMemo(() => taskColumns(job), [steps]);
  const { count: selectedCount, ids: selectedIds } = targetOfSelection(
    selection,
    [],
    rows.total ?? 0,
    (offset, limit) =>
      rest.call('get', '/jobs/{id}/tasks', {
        path,
        query: { ...query, sort_by: 'created_at', sort_dir: 'asc', offset, limit },
      }),
  );
  return {
    rows,
    columns,
    sort: { key, dir },
    listKey,
    selection,
    setSelection,
    selectedCount,
    selectedIds,
    isBusy,
    act: (action, failure, ids) =>
      run(failure, async () => {
        const outcome = await bulkOnTasks(rest, action, await ids());
        rows.refresh();
        return formatBulkOutcome(action, outcome);
      }),
  };
}

/** Applies task events to loaded rows, and loads the list again at most once per `REFRESH_MS`. */
function useLiveTasks(jobId: string, rows: RowWindow<Task>): void {
  const throttled = useThrottle(REFRESH_MS);
  useTaskEvents(jobId, (events) => {
    const latest = new Map(events.map((event) => [event.task_id, event]));
    rows.patch((task) => {
      const event = latest.get(task.id);
      return event === undefined ? task : taskAfter(task, event);
    });
    throttled(() => rows.refresh());
  });
}
