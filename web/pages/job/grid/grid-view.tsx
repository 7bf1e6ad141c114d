import { Maximize, ZoomIn, ZoomOut } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { JobDetail, Step } from '../../../../client/resources.ts';
import { IconButton } from '../../../parts/button.tsx';
import { QueryProblem } from '../../../parts/query-problem.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { useUrlState } from '../../../state/use-url-state.ts';
import { FramesBox } from '../frames-box.tsx';
import { JOB_VIEW } from '../job-view.ts';
import { taskAt } from '../model/cells.ts';
import { frameText, type RangeReading } from '../model/frames.ts';
import { ZOOMS } from '../model/grid-layout.ts';
import type { IndexRange } from '../model/index-ranges.ts';
import { SelectionBar } from '../selection-bar.tsx';
import { useStepGrid } from '../use-step-grid.ts';
import { effectiveZoom } from './effective-zoom.ts';
import { TaskGrid } from './task-grid.tsx';

const NO_RUNS: readonly IndexRange[] = [];
const NO_RANGE: RangeReading = { ok: true, runs: NO_RUNS };

/** The grid of a step with its tools: a range of frames, the zoom, and the actions on selected tasks. */
export function GridView({ job, step, onChanged }: { job: JobDetail; step: Step; onChanged: () => void }) {
  const [, navigate] = useLocation();
  const [{ status, frames }, setView] = useUrlState(JOB_VIEW);
  const { cells, scale, error, retry } = useStepGrid(step);
  const [zoom, setZoom] = useState<number | null>(null);
  const reading = useMemo(
    () => (frames === '' || cells === null ? NO_RANGE : scale.parseRange(frames)),
    [frames, scale, cells],
  );
  const selected = reading.ok ? reading.runs : NO_RUNS;
  const select = (text: string): void => setView({ frames: text }, { replace: true });
  if (error !== null && cells === null)
    return <QueryProblem error={error} what="the task grid" onRetry={retry} />;
  if (cells === null) return <Skeleton width="100%" height="240px" />;
  return (
    <>
      <div className="tasks-tab__tools">
        <FramesBox
          key={frames}
          label={scale.parameter === '' ? 'Select tasks' : `Select by ${scale.parameter}`}
          value={frames}
          onChange={select}
          check={(text) => {
            const parsed = scale.parseRange(text);
            return parsed.ok ? '' : parsed.detail;
          }}
        />
        <ZoomTools count={cells.length} zoom={zoom} onZoom={setZoom} />
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
        onOpen={(index) => navigate(`/tasks/${taskAt(step.id, index)}`)}
      />
      <p className="muted tasks-tab__hint">
        Select a cell to open its task. Drag, or hold Shift, to select a range. With the keyboard, the arrow
        keys move, Enter opens a task, and Shift with the arrow keys selects a range.
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

function ZoomTools({
  count,
  zoom,
  onZoom,
}: {
  /** Number of cells. */
  count: number;
  zoom: number | null;
  onZoom: (zoom: number | null) => void;
}) {
  const change = (by: number): void => {
    const now = effectiveZoom(zoom, count, document.querySelector('.task-grid')?.clientWidth ?? 800);
    onZoom(Math.min(ZOOMS.length - 1, Math.max(0, now + by)));
  };
  return (
    <div className="tasks-tab__zoom">
      <IconButton
        label="Smaller cells"
        icon={<ZoomOut aria-hidden="true" />}
        size="small"
        onPress={() => change(-1)}
      />
      <IconButton
        label="Larger cells"
        icon={<ZoomIn aria-hidden="true" />}
        size="small"
        onPress={() => change(1)}
      />
      <IconButton
        label="Fit cells"
        icon={<Maximize aria-hidden="true" />}
        size="small"
        onPress={() => onZoom(null)}
      />
    </div>
  );
}
