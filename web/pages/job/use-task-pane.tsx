import { Suspense } from 'react';
import type { Task } from '../../../client/resources.ts';
import { loadedRows } from '../../parts/data-table/column.ts';
import type { RowPane } from '../../parts/data-table/data-table-props.ts';
import type { RowWindow } from '../../parts/data-table/use-row-window.ts';
import { lazyPart } from '../../parts/lazy-part.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { useUrlState } from '../../state/use-url-state.ts';
import { TASK_VIEW } from '../task/task-view.ts';
import { JOB_VIEW } from './job-view.ts';

const TaskPane = lazyPart(async () => (await import('../task/task-pane.tsx')).TaskPane);

const VIEW = { ...TASK_VIEW, tab: JOB_VIEW.tab, task: JOB_VIEW.task };

/** Returns the pane of the split view, whose task is in the address. */
export function useTaskPane(rows: RowWindow<Task>): RowPane {
  const [{ task: id }, setView] = useUrlState(VIEW);
  const isOpen = id !== '';
  return {
    label: 'Selected task',
    shownId: isOpen ? id : null,
    onShow: (next) => {
      const task = { task: next ?? '', attempt: null, log: 'one', with: null } as const;
      // The tab of a shared address must not depend on the status of the job. Back closes the pane, however many tasks it
      // has shown.
      setView(next === null ? task : { ...task, tab: 'tasks' }, { replace: isOpen });
    },
    content: isOpen && (
      <Suspense fallback={<SkeletonLines lines={8} label="Loading the task" />}>
        <TaskPane key={id} id={id} known={loadedRows(rows).find((task) => task.id === id)} />
      </Suspense>
    ),
  };
}
