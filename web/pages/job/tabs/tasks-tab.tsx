import { Grid3x3, List } from 'lucide-react';
import type { JobDetail, Step, TaskCounts } from '../../../../client/resources.ts';
import { Button } from '../../../parts/button.tsx';
import { StatusChips } from '../../../parts/filter-chips.tsx';
import { PROGRESS_PARTS, type ProgressPart } from '../../../parts/status-looks.ts';
import { countedParts } from '../../../parts/task-counts.ts';
import { useUrlState } from '../../../state/use-url-state.ts';
import { GridView } from '../grid/grid-view.tsx';
import { JOB_VIEW } from '../job-view.ts';
import { TaskTable } from '../task-table.tsx';
import './tasks-tab.css';

/** The tasks of a step as a grid, or the tasks of one or all steps as a table. */
export function TasksTab({ job, onChanged }: { job: JobDetail; onChanged: () => void }) {
  const [{ step: chosen, view }] = useUrlState(JOB_VIEW);
  const isGrid = view === 'grid';
  const step = job.steps.find(({ name }) => name === chosen) ?? (isGrid ? largestOf(job.steps) : undefined);
  return (
    <div className="tasks-tab">
      <div className="tasks-tab__bar">
        {job.steps.length > 1 && <StepChoice steps={job.steps} step={step} hasAll={!isGrid} />}
        <StatusFilter counts={step?.task_counts ?? job.task_counts} isMultiple={isGrid} />
        <ViewChoice isGrid={isGrid} />
      </div>
      {isGrid && step !== undefined ? (
        <GridView key={step.id} job={job} step={step} onChanged={onChanged} />
      ) : (
        <TaskTable job={job} step={step} onChanged={onChanged} />
      )}
    </div>
  );
}

/** Returns the step with the most tasks, which usually renders the frames. */
const largestOf = (steps: readonly Step[]): Step | undefined =>
  steps.reduce<Step | undefined>(
    (largest, step) =>
      largest === undefined || step.task_counts.total > largest.task_counts.total ? step : largest,
    undefined,
  );

function StepChoice({
  steps,
  step,
  hasAll,
}: {
  steps: readonly Step[];
  step: Step | undefined;
  /** Offers all steps as well. */
  hasAll: boolean;
}) {
  const [, setView] = useUrlState(JOB_VIEW);
  return (
    <select
      className="input tasks-tab__step"
      aria-label="Step"
      value={step?.name ?? ''}
      onChange={(event) => setView({ step: event.target.value, frames: '' })}
    >
      {hasAll && <option value="">All steps</option>}
      {steps.map(({ id, name, task_counts: { total } }) => (
        <option key={id} value={name}>
          {name} ({total.toLocaleString('en')})
        </option>
      ))}
    </select>
  );
}

function StatusFilter({ counts, isMultiple }: { counts: TaskCounts; isMultiple: boolean }) {
  const [{ status }, setView] = useUrlState(JOB_VIEW);
  const present = countedParts(counts);
  const statuses = PROGRESS_PARTS.filter(
    (part) => status.includes(part) || present.some((each) => each.part === part),
  );
  const choose = (picked: readonly ProgressPart[]): void => {
    // The list of the server takes one status. Unschedulable tasks are ready tasks.
    const added = picked.find((part) => !status.includes(part));
    setView({ status: isMultiple || added === undefined ? picked : [added] }, { replace: true });
  };
  return (
    <StatusChips
      kind="task"
      statuses={statuses}
      counts={Object.fromEntries(present.map(({ part, count }) => [part, count]))}
      chosen={status}
      onChange={choose}
    />
  );
}

function ViewChoice({ isGrid }: { isGrid: boolean }) {
  const [{ status }, setView] = useUrlState(JOB_VIEW);
  return (
    <div className="tasks-tab__views" role="group" aria-label="View">
      <Button
        size="small"
        icon={<Grid3x3 aria-hidden="true" />}
        isPressed={isGrid}
        onPress={() => setView({ view: 'grid', task: '' })}
      >
        Grid
      </Button>
      <Button
        size="small"
        icon={<List aria-hidden="true" />}
        isPressed={!isGrid}
        onPress={() => setView({ view: 'table', status: status.slice(0, 1) })}
      >
        Table
      </Button>
    </div>
  );
}
