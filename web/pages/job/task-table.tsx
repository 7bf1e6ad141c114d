import { Ban, Clipboard, FileText, HelpCircle, RotateCcw } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { TaskEvent } from '../../api/events/subjects.ts';
import type { JobDetail, Step, Task, TaskStatus } from '../../api/resources.ts';
import { Button } from '../../parts/button.tsx';
import { copyText } from '../../parts/copy-button.tsx';
import type { Column } from '../../parts/data-table/column.ts';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import {
  NOTHING_SELECTED,
  isSelected,
  selectedCount,
  type RowSelection,
} from '../../parts/data-table/row-selection.ts';
import { useRowWindow } from '../../parts/data-table/use-row-window.ts';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import type { ActionItem } from '../../parts/menu.tsx';
import { WorkerName } from '../../parts/names.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import type { ProgressPart } from '../../parts/status-looks.ts';
import { durationText } from '../../parts/time-text.ts';
import { Ago, Elapsed } from '../../parts/time.tsx';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { useNow } from '../../state/use-now.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { useThrottle } from '../../state/use-throttle.ts';
import { useUrlState } from '../../state/use-url-state.ts';
import { bulkInWords, bulkOnTasks } from './bulk-tasks.ts';
import { JOB_VIEW } from './job-view.ts';
import { useDeed } from './use-deed.ts';
import { REFRESH_MS, useTaskEvents } from './use-job.ts';

const SORT_KEYS = ['created_at', 'name', 'status', 'updated_at'] as const;

/** The status that the list is asked for. */
const listedStatus = (part: ProgressPart | undefined): TaskStatus | undefined =>
  part === 'unschedulable' ? 'ready' : part;

const parametersOf = ({ parameters = {} }: Task): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');

function columnsOf(job: JobDetail): readonly Column<Task>[] {
  const stepNames = new Map(job.steps.map(({ id, name }) => [id, name]));
  return [
    {
      id: 'name',
      header: 'Task',
      cell: ({ name }) => name,
      text: ({ name }) => name,
      sortKey: 'name',
      isFixed: true,
      size: 220,
      card: 'title',
    },
    {
      id: 'status',
      header: 'Status',
      cell: (task) => <TaskState task={task} />,
      sortKey: 'status',
      size: 150,
      card: 'meta',
    },
    {
      id: 'step',
      header: 'Step',
      cell: (task) => stepNames.get(task.step_id) ?? '',
      size: 120,
      hiddenAtFirst: true,
    },
    {
      id: 'parameters',
      header: 'Parameters',
      cell: (task) => <span className="mono">{parametersOf(task)}</span>,
      text: parametersOf,
      size: 160,
      hiddenAtFirst: true,
    },
    {
      id: 'worker',
      header: 'Worker',
      cell: ({ assigned_worker_id: id }) => (id === undefined ? '' : <WorkerName id={id} />),
      size: 140,
      card: 'meta',
    },
    {
      id: 'failures',
      header: 'Failures',
      cell: ({ failed_attempts: count }) => count,
      align: 'end',
      size: 80,
    },
    {
      id: 'started',
      header: 'Started',
      cell: ({ started_at: at }) => (at === undefined ? '' : <Ago iso={at} />),
      size: 110,
    },
    {
      id: 'elapsed',
      header: 'Elapsed',
      cell: (task) => <TaskElapsed task={task} />,
      size: 100,
      card: 'meta',
    },
    { id: 'progress', header: 'Progress', cell: (task) => progressOf(task), align: 'end', size: 90 },
    { id: 'reason', header: 'Reason', cell: reasonOf, text: reasonOf, grow: true, size: 240, card: 'line' },
    {
      id: 'updated_at',
      header: 'Changed',
      cell: ({ updated_at: at }) => <Ago iso={at} />,
      sortKey: 'updated_at',
      size: 110,
    },
  ];
}

const reasonOf = ({
  failure_reason: failed,
  unschedulable_reason: unschedulable,
  status_message: said,
}: Task): string => failed ?? unschedulable ?? said ?? '';

const progressOf = ({ progress, status }: Task): string =>
  progress === undefined || (status !== 'running' && status !== 'assigned')
    ? ''
    : `${Math.floor(progress)} %`;

function TaskState({ task }: { task: Task }) {
  const { status, unschedulable_reason: unschedulable, retry_after: after } = task;
  return (
    <span className="row">
      <StatusBadge kind="task" status={unschedulable === undefined ? status : 'unschedulable'} />
      {after !== undefined && status === 'ready' && <RetryIn at={after} />}
    </span>
  );
}

function RetryIn({ at }: { at: string }) {
  const ms = Date.parse(at) - useNow('second');
  return ms > 0 ? (
    <span className="muted number">in {durationText(Math.ceil(ms / 1_000) * 1_000)}</span>
  ) : null;
}

function TaskElapsed({ task: { started_at: from, ended_at: to, status } }: { task: Task }) {
  if (from === undefined) return null;
  if (to === undefined && status !== 'running' && status !== 'assigned') return null;
  return <Elapsed from={from} to={to} />;
}

/** The row as an event tells; the row itself when it is as new already. */
function taskAfter(task: Task, event: TaskEvent): Task {
  if (event.updated_at < task.updated_at) return task;
  const {
    assigned_worker_id: _worker,
    unschedulable_reason: _reason,
    progress: _progress,
    status_message: _said,
    ...kept
  } = task;
  return {
    ...kept,
    status: event.status,
    updated_at: event.updated_at,
    ...(event.worker_id !== '' && { assigned_worker_id: event.worker_id }),
    ...(event.unschedulable_reason !== '' && { unschedulable_reason: event.unschedulable_reason }),
    ...(event.progress !== undefined && { progress: event.progress }),
    ...(event.status_message !== undefined && { status_message: event.status_message }),
  };
}

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
  const [selection, setSelection] = useState<RowSelection>(NOTHING_SELECTED);
  const [isBusy, run] = useDeed(onChanged);
  const [isCanceling, setIsCanceling] = useState(false);
  const sortBy = SORT_KEYS.find((key) => key === sort) ?? 'created_at';
  const query = { status: listedStatus(picked[0]), step: step?.id, sort_by: sortBy, sort_dir: dir } as const;
  const path = { id: job.id };
  const listed = JSON.stringify([job.id, query]);
  const [selectedIn, setSelectedIn] = useState(listed);
  if (selectedIn !== listed) {
    // What is selected is what is seen: all of a list are not all of the next.
    setSelectedIn(listed);
    setSelection(NOTHING_SELECTED);
  }
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
  const columns = useMemo(() => columnsOf(job), [steps]);
  const off = why('jobs.write');

  const act = (action: 'retry' | 'cancel', what: string, ids: () => Promise<readonly string[]>): void =>
    run(what, async () => {
      const outcome = await bulkOnTasks(rest, action, await ids());
      rows.refresh();
      return bulkInWords(action, outcome);
    });
  const selectedIds = async (): Promise<readonly string[]> => {
    if (selection.kind === 'some') return [...selection.ids];
    const ids: string[] = [];
    for (let offset = 0; ; offset += 1_000) {
      const page = await rest.call('get', '/jobs/{id}/tasks', {
        path,
        query: { ...query, offset, limit: 1_000 },
      });
      ids.push(...page.items.map(({ id }) => id).filter((id) => isSelected(selection, id)));
      if (offset + 1_000 >= page.total) return ids;
    }
  };
  const actions = (task: Task): readonly ActionItem[] => {
    const hasEnded = task.status === 'failed' || task.status === 'canceled' || task.status === 'succeeded';
    const isRetriable = task.status === 'failed' || task.status === 'canceled';
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
        offBecause: task.status === 'ready' || task.status === 'pending' ? '' : 'It does not wait.',
        act: () => navigate(`/tasks/${task.id}`),
      },
      {
        id: 'retry',
        label: 'Retry',
        icon: <RotateCcw aria-hidden="true" />,
        startsGroup: true,
        offBecause: off || (isRetriable ? '' : 'It has neither failed nor was it canceled.'),
        act: () => act('retry', 'Retry the task', () => Promise.resolve([task.id])),
      },
      {
        id: 'cancel',
        label: 'Cancel',
        icon: <Ban aria-hidden="true" />,
        offBecause: off || (hasEnded ? 'It has ended.' : ''),
        act: () => act('cancel', 'Cancel the task', () => Promise.resolve([task.id])),
      },
      {
        id: 'copy',
        label: 'Copy the id',
        icon: <Clipboard aria-hidden="true" />,
        act: () => {
          copyText(task.id).then(
            () => toasts.done('The id is copied'),
            (error: unknown) => toasts.failed(error, 'Copy the id'),
          );
        },
      },
    ];
  };
  const count = selectedCount(selection, rows.total ?? 0);
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
              <strong className="number">{count.toLocaleString()} selected</strong>
              <Button
                size="small"
                icon={<RotateCcw aria-hidden="true" />}
                offBecause={off}
                isBusy={isBusy}
                onPress={() => act('retry', 'Retry the selected tasks', selectedIds)}
              >
                Retry
              </Button>
              <Button
                size="small"
                icon={<Ban aria-hidden="true" />}
                offBecause={off}
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
          title={`Cancel ${count.toLocaleString()} ${count === 1 ? 'task' : 'tasks'}?`}
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
