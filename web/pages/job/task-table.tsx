import { Ban, FileText, HelpCircle, RotateCcw } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { JobDetail, Step, Task, TaskStatus } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import { copyItem } from '../../parts/copy-item.tsx';
import { targetOfSelection } from '../../parts/data-table/bulk-target.ts';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { NOTHING_SELECTED } from '../../parts/data-table/row-selection.ts';
import { useRowSelection } from '../../parts/data-table/use-row-selection.ts';
import { useRowWindow } from '../../parts/data-table/use-row-window.ts';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import type { ActionItem } from '../../parts/menu.tsx';
import { counted } from '../../parts/number-text.ts';
import type { ProgressPart } from '../../parts/status-looks.ts';
import { hasTaskEnded, isRetriable } from '../../state/ended.ts';
import { useService } from '../../state/service.tsx';
import { taskAfter } from '../../state/task-after.ts';
import { toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { useThrottle } from '../../state/use-throttle.ts';
import { useUrlState } from '../../state/use-url-state.ts';
import { bulkInWords, bulkOnTasks } from './bulk-tasks.ts';
import { JOB_VIEW } from './job-view.ts';
import { taskColumns } from './task-columns.tsx';
import { useJobAction } from './use-job-action.ts';
import { REFRESH_MS, useTaskEvents } from './use-job.ts';

const SORT_KEYS = ['created_at', 'name', 'status', 'updated_at'] as const;

/** The status that the list is asked for. */
const listedStatus = (part: ProgressPart | undefined): TaskStatus | undefined =>
  part === 'unschedulable' ? 'ready' : part;

/** The tasks of a job, or of one step, as rows. */
export function TaskTable({
  job,
  step,
  onChanged,
}: {
  job: JobDetail;
  /** Undefined: all steps. */
  step: Step | undefined;
  onChanged: () => void;
}) {
  const { rest } = useService();
  const { why } = usePermissions();
  const [, navigate] = useLocation();
  const [{ status: picked, sort, dir }, setView] = useUrlState(JOB_VIEW);
  const [isBusy, run] = useJobAction(onChanged);
  const [isCanceling, setIsCanceling] = useState(false);
  const sortBy = SORT_KEYS.find((key) => key === sort) ?? 'created_at';
  const query = { status: listedStatus(picked[0]), step: step?.id, sort_by: sortBy, sort_dir: dir } as const;
  const path = { id: job.id };
  const listed = JSON.stringify([job.id, query]);
  const [selection, setSelection] = useRowSelection(listed);
  const rows = useRowWindow<Task>({
    key: ['jobs', 'one', job.id, 'tasks', query],
    fetchPage: (offset, limit, signal) =>
      rest.call('get', '/jobs/{id}/tasks', { path, query: { ...query, offset, limit }, signal }),
  });
  const throttled = useThrottle(REFRESH_MS);
  useTaskEvents(job.id, (events) => {
    const news = new Map(events.map((event) => [event.task_id, event]));
    rows.patch((task) => {
      const event = news.get(task.id);
      return event === undefined ? task : taskAfter(task, event);
    });
    throttled(() => rows.refresh());
  });
  const steps = job.steps.map(({ id, name }) => `${id} ${name}`).join('\n');
  // Names of steps never change; the object of the job does with every answer.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const columns = useMemo(() => taskColumns(job), [steps]);
  const off = why('jobs.write');

  const act = (action: 'retry' | 'cancel', what: string, ids: () => Promise<readonly string[]>): void =>
    run(what, async () => {
      const outcome = await bulkOnTasks(rest, action, await ids());
      rows.refresh();
      return bulkInWords(action, outcome);
    });
  const { count, ids: selectedIds } = targetOfSelection(selection, [], rows.total ?? 0, (offset, limit) =>
    rest.call('get', '/jobs/{id}/tasks', {
      path,
      query: { ...query, sort_by: 'created_at', sort_dir: 'asc', offset, limit },
    }),
  );
  const actions = (task: Task): readonly ActionItem[] => {
    return [
      {
        id: 'log',
        label: 'Show its log',
        icon: <FileText aria-hidden="true" />,
        act: () => navigate(`/tasks/${task.id}`),
      },
      {
        id: 'why',
        label: 'Why is it waiting?',
        icon: <HelpCircle aria-hidden="true" />,
        disabledReason: task.status === 'ready' || task.status === 'pending' ? '' : 'It does not wait.',
        act: () => navigate(`/tasks/${task.id}`),
      },
      {
        id: 'retry',
        label: 'Retry',
        icon: <RotateCcw aria-hidden="true" />,
        startsGroup: true,
        disabledReason: off || (isRetriable(task.status) ? '' : 'It has neither failed nor was it canceled.'),
        act: () => act('retry', 'Retry the task', () => Promise.resolve([task.id])),
      },
      {
        id: 'cancel',
        label: 'Cancel',
        icon: <Ban aria-hidden="true" />,
        disabledReason: off || (hasTaskEnded(task.status) ? 'It has ended.' : ''),
        act: () => act('cancel', 'Cancel the task', () => Promise.resolve([task.id])),
      },
      copyItem('id', task.id),
    ];
  };
  return (
    <>
      <DataTable
        id="job-tasks"
        label="Tasks"
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        sort={{ key: sortBy, dir }}
        onSort={(next) => setView({ sort: next.key, dir: next.dir }, { replace: true })}
        listKey={listed}
        selection={selection}
        onSelect={setSelection}
        href={({ id }) => `/tasks/${id}`}
        actions={actions}
        isCompact
        toolbar={
          count > 0 && (
            <div className="row" role="group" aria-label="Selected tasks">
              <strong className="number">{count.toLocaleString('en')} selected</strong>
              <Button
                size="small"
                icon={<RotateCcw aria-hidden="true" />}
                disabledReason={off}
                isBusy={isBusy}
                onPress={() => act('retry', 'Retry the selected tasks', selectedIds)}
              >
                Retry
              </Button>
              <Button
                size="small"
                icon={<Ban aria-hidden="true" />}
                disabledReason={off}
                isBusy={isBusy}
                onPress={() => setIsCanceling(true)}
              >
                Cancel…
              </Button>
              <Button size="small" look="quiet" onPress={() => setSelection(NOTHING_SELECTED)}>
                Clear
              </Button>
            </div>
          )
        }
        empty={
          <EmptyState
            title="No task is like that"
            actions={<Button onPress={() => setView({ status: [], step: '' })}>Show all tasks</Button>}
          />
        }
      />
      {isCanceling && (
        <ConfirmDialog
          title={`Cancel ${counted(count, 'task')}?`}
          action="Cancel the tasks"
          onClose={() => setIsCanceling(false)}
          onConfirm={async () => {
            toasts.done(bulkInWords('cancel', await bulkOnTasks(rest, 'cancel', await selectedIds())));
            rows.refresh();
            onChanged();
          }}
        >
          <p>Those that run are stopped; those that have ended stay as they are.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
