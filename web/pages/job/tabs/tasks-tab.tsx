import { Grid3x3, List, Maximize, ZoomIn, ZoomOut } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { JobDetail, Step } from '../../../../client/resources.ts';
import { Button, IconButton } from '../../../parts/button.tsx';
import { StatusChips } from '../../../parts/filter-chips.tsx';
import { QueryProblem } from '../../../parts/query-problem.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { PROGRESS_PARTS, type ProgressPart } from '../../../parts/status-looks.ts';
import { countedParts } from '../../../parts/task-counts.ts';
import { useUrlState } from '../../../state/use-url-state.ts';
import { TaskGrid, effectiveZoom } from '../grid/task-grid.tsx';
import { JOB_VIEW } from '../job-view.ts';
import { taskAt } from '../model/cells.ts';
import { frameText, type PlacesReading } from '../model/frames.ts';
import { ZOOMS } from '../model/grid-layout.ts';
import { FramesBox } from '../frames-box.tsx';
import { SelectionBar } from '../selection-bar.tsx';
import { TaskTable } from '../task-table.tsx';
import { useStepGrid } from '../use-step-grid.ts';
import './tasks-tab.css';

/** The tasks of one step as a grid, or of one or all as a table. */
export function TasksTab({ job, onChanged }: { job: JobDetail; onChanged: () => void }) {
  const [{ step: chosen, view, status }, setView] = useUrlState(JOB_VIEW);
  const isGrid = view === 'grid';
  const step = job.steps.find(({ name }) => name === chosen) ?? (isGrid ? largestOf(job.steps) : undefined);
  const counts = step?.task_counts ?? job.task_counts;
  const present = countedParts(counts);
  const statuses = PROGRESS_PARTS.filter(
    (part) => status.includes(part) || present.some((each) => each.part === part),
  );
  const choose = (picked: readonly ProgressPart[]): void => {
    // The list of the service takes one status; unschedulable tasks are ready ones.
    const added = picked.find((part) => !status.includes(part));
    setView({ status: isGrid || added === undefined ? picked : [added] }, { replace: true });
  };
  return (
    <div className="tasks-tab">
      <div className="tasks-tab__bar">
        {job.steps.length > 1 && (
          <select
            className="input tasks-tab__step"
            aria-label="Step"
            value={step?.name ?? ''}
            onChange={(event) => setView({ step: event.target.value, frames: '' })}
          >
            {!isGrid && <option value="">All steps</option>}
            {job.steps.map(({ id, name, task_counts: { total } }) => (
              <option key={id} value={name}>
                {name} ({total.toLocaleString('en')})
              </option>
            ))}
          </select>
        )}
        <StatusChips
          kind="task"
          statuses={statuses}
          counts={Object.fromEntries(present.map(({ part, count }) => [part, count]))}
          chosen={status}
          onChange={choose}
        />
        <div className="tasks-tab__views" role="group" aria-label="View">
          <Button
            size="small"
            icon={<Grid3x3 aria-hidden="true" />}
            isPressed={isGrid}
            onPress={() => setView({ view: 'grid' })}
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
      </div>
      {isGrid && step !== undefined ? (
        <GridView key={step.id} job={job} step={step} onChanged={onChanged} />
      ) : (
        <TaskTable job={job} step={step} onChanged={onChanged} />
      )}
    </div>
  );
}

/** The step with the most tasks: the one that is rendered. */
const largestOf = (steps: readonly Step[]): Step | undefined =>
  steps.reduce<Step | undefined>(
    (largest, step) =>
      largest === undefined || step.task_counts.total > largest.task_counts.total ? step : largest,
    undefined,
  );

const NOTHING: PlacesReading = { ok: true, runs: [] };

function GridView({ job, step, onChanged }: { job: JobDetail; step: Step; onChanged: () => void }) {
  const [, navigate] = useLocation();
  const [{ status, frames }, setView] = useUrlState(JOB_VIEW);
  const { cells, scale, error, retry } = useStepGrid(step);
  const [zoom, setZoom] = useState<number | null>(null);
  const reading = useMemo(
    () => (frames === '' || cells === null ? NOTHING : scale.placesOf(frames)),
    [frames, scale, cells],
  );
  const selected = reading.ok ? reading.runs : [];
  const select = (text: string): void => setView({ frames: text }, { replace: true });
  if (error !== null && cells === null)
    return <QueryProblem error={error} what="the task grid" onRetry={retry} />;
  if (cells === null) return <Skeleton width="100%" height="240px" />;
  const nudge = (by: number): void => {
    const now = effectiveZoom(zoom, cells.length, document.querySelector('.task-grid')?.clientWidth ?? 800);
    setZoom(Math.min(ZOOMS.length - 1, Math.max(0, now + by)));
  };
  return (
    <>
      <div className="tasks-tab__tools">
        <FramesBox
          key={frames}
          label={scale.parameter === '' ? 'Select tasks' : `Select by ${scale.parameter}`}
          value={frames}
          onChange={select}
          check={(text) => {
            const tried = scale.placesOf(text);
            return tried.ok ? '' : tried.detail;
          }}
        />
        <div className="tasks-tab__zoom">
          <IconButton
            label="Smaller cells"
            icon={<ZoomOut aria-hidden="true" />}
            size="small"
            onPress={() => nudge(-1)}
          />
          <IconButton
            label="Larger cells"
            icon={<ZoomIn aria-hidden="true" />}
            size="small"
            onPress={() => nudge(1)}
          />
          <IconButton
            label="Fit the cells"
            icon={<Maximize aria-hidden="true" />}
            size="small"
            onPress={() => setZoom(null)}
          />
        </div>
      </div>
      <TaskGrid
        stepId={step.id}
        stepName={step.name}
        cells={cells}
        scale={scale}
        picked={status}
        selected={selected}
        zoom={zoom}
        onSelect={(runs) => select(frameText(scale, runs))}
        onOpen={(place) => navigate(`/tasks/${taskAt(step.id, place)}`)}
      />
      <p className="muted tasks-tab__hint">
        Press a cell to open its task; drag, or hold Shift, to select a range. By keyboard: arrows, Enter,
        Shift and arrows.
      </p>
      {selected.length > 0 && (
        <SelectionBar
          job={job}
          step={step}
          cells={cells}
          runs={selected}
          text={frameText(scale, selected)}
          onChanged={onChanged}
          onClear={() => select('')}
        />
      )}
    </>
  );
}
