import { Ban, FileText, HelpCircle, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { JobDetail, Step, Task } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import { copyItem } from '../../parts/copy-item.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { NOTHING_SELECTED } from '../../parts/data-table/row-selection.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import type { ActionItem } from '../../parts/menu.tsx';
import { hasTaskEnded, isRetriable } from '../../state/ended.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { useUrlState } from '../../state/use-url-state.ts';
import { CancelTasksDialog } from './cancel-tasks-dialog.tsx';
import { JOB_VIEW } from './job-view.ts';
import { useTaskPane } from './use-task-pane.tsx';
import { useTaskTable, type TaskTableModel } from './use-task-table.ts';

/** The tasks of a job, or of one step, as a table. */
export function TaskTable({
  job,
  step,
  onChanged,
}: {
  job: JobDetail;
  /** Undefined for all steps. */
  step: Step | undefined;
  onChanged: () => void;
}) {
  const [, setView] = useUrlState(JOB_VIEW);
  const [isCanceling, setIsCanceling] = useState(false);
  const model = useTaskTable(job, step, onChanged);
  const { rows, selectedCount } = model;
  const menuOf = useTaskMenu(model);
  const pane = useTaskPane(rows);
  return (
    <>
      <DataTable
        id="job-tasks"
        label="Tasks"
        columns={model.columns}
        rows={rows}
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        sort={model.sort}
        onSort={({ key, dir }) => setView({ sort: key, dir }, { replace: true })}
        listKey={model.listKey}
        selection={model.selection}
        onSelect={model.setSelection}
        href={({ id }) => `/tasks/${id}`}
        pane={pane}
        actions={menuOf}
        isCompact
        toolbar={selectedCount > 0 && <SelectedTasks model={model} onCancel={() => setIsCanceling(true)} />}
        empty={
          <EmptyState
            title="No matching tasks"
            actions={<Button onPress={() => setView({ status: [], step: '' })}>Show all tasks</Button>}
          />
        }
      />
      {isCanceling && (
        <CancelTasksDialog
          count={selectedCount}
          ids={model.selectedIds}
          onChanged={() => {
            rows.refresh();
            onChanged();
          }}
          onClose={() => setIsCanceling(false)}
        />
      )}
    </>
  );
}

function SelectedTasks({ model, onCancel }: { model: TaskTableModel; onCancel: () => void }) {
  const { selectedCount, selectedIds, setSelection, isBusy, act } = model;
  const { why } = usePermissions();
  const forbidden = why('jobs.write');
  return (
    <div className="row" role="group" aria-label="Selected tasks">
      <strong className="number">{selectedCount.toLocaleString('en')} selected</strong>
      <Button
        size="small"
        icon={<RotateCcw aria-hidden="true" />}
        disabledReason={forbidden}
        isBusy={isBusy}
        onPress={() => act('retry', 'Could not retry the selected tasks', selectedIds)}
      >
        Retry
      </Button>
      <Button
        size="small"
        icon={<Ban aria-hidden="true" />}
        disabledReason={forbidden}
        isBusy={isBusy}
        onPress={onCancel}
      >
        Cancel…
      </Button>
      <Button size="small" look="quiet" onPress={() => setSelection(NOTHING_SELECTED)}>
        Clear selection
      </Button>
    </div>
  );
}

/** Returns a function that lists the menu items of a task. */
function useTaskMenu({ act }: TaskTableModel): (task: Task) => readonly ActionItem[] {
  const { why } = usePermissions();
  const [, navigate] = useLocation();
  const forbidden = why('jobs.write');
  return (task) => {
    const { id, status } = task;
    return [
      {
        id: 'log',
        label: 'Show log',
        icon: <FileText aria-hidden="true" />,
        act: () => navigate(`/tasks/${id}`),
      },
      {
        id: 'why',
        label: 'Why is it waiting?',
        icon: <HelpCircle aria-hidden="true" />,
        disabledReason: status === 'ready' || status === 'pending' ? '' : 'The task is not waiting.',
        act: () => navigate(`/tasks/${id}`),
      },
      {
        id: 'retry',
        label: 'Retry',
        icon: <RotateCcw aria-hidden="true" />,
        startsGroup: true,
        disabledReason:
          forbidden || (isRetriable(task) ? '' : 'Only failed, canceled or skipped tasks can be retried.'),
        act: () => act('retry', 'Could not retry the task', () => Promise.resolve([id])),
      },
      {
        id: 'cancel',
        label: 'Cancel',
        icon: <Ban aria-hidden="true" />,
        disabledReason: forbidden || (hasTaskEnded(status) ? 'The task has ended.' : ''),
        act: () => act('cancel', 'Could not cancel the task', () => Promise.resolve([id])),
      },
      copyItem('id', id),
    ];
  };
}
