import { useMemo, useState } from 'react';
import {
  GRID_STATUSES,
  statusStyle,
  type CellStatus,
  type ProgressPart,
} from '../../../parts/status-looks.ts';
import { frameText, type FrameScale } from '../model/frames.ts';
import { cornerOf } from '../model/grid-layout.ts';
import type { IndexRange } from '../model/index-ranges.ts';
import { CellCard } from './cell-card.tsx';
import { useGridCanvas } from './use-grid-canvas.ts';
import { useGridCursor } from './use-grid-cursor.ts';
import { rangeOf, useGridPointer, type Drag } from './use-grid-pointer.ts';
import './task-grid.css';

interface TaskGridProps {
  readonly stepId: string;
  readonly stepName: string;
  /** One character per task. */
  readonly cells: string;
  readonly scale: FrameScale;
  /** Statuses to highlight; empty for all. */
  readonly picked: readonly ProgressPart[];
  readonly selected: readonly IndexRange[];
  /** Index of a zoom; null for the largest that fits. */
  readonly zoom: number | null;
  readonly onSelect: (runs: readonly IndexRange[]) => void;
  readonly onOpen: (index: number) => void;
}

/** The tasks of a step as a grid with one cell per task. Tasks are opened and selected with the pointer or the keyboard. */
export function TaskGrid(props: TaskGridProps) {
  const { stepName, cells, scale, selected, onSelect, onOpen } = props;
  const [isFocused, setIsFocused] = useState(false);
  const [drag, setDrag] = useState<Drag | null>(null);
  const shownSelection = useMemo(() => (drag === null ? selected : [rangeOf(drag)]), [drag, selected]);
  const { scroller, canvas, layout, width } = useGridCanvas({
    cells,
    scale,
    picked: props.picked,
    zoom: props.zoom,
    selected: shownSelection,
  });
  const hasSelection = selected.length > 0;
  const cursor = useGridCursor({ scroller, layout, hasSelection, onSelect, onOpen });
  const pointer = useGridPointer({ scroller, layout, cursor, drag, setDrag, onSelect, onOpen });
  const { active } = cursor;
  const corner = cornerOf(layout, active);
  const described = drag === null ? (pointer.hovered ?? (isFocused ? active : null)) : drag.to;
  const activeLabel = `${cellName(scale, active)}: ${statusStyle('task', statusAt(cells, active)).label.toLowerCase()}`;
  return (
    <div className="task-grid" role="group" aria-label={`Tasks of ${stepName}`}>
      <div
        ref={scroller}
        className="task-grid__scroller"
        style={{ height: layout.height }}
        {...pointer.handlers}
      >
        <div className="task-grid__space" style={{ height: layout.height }}>
          <canvas ref={canvas} className="task-grid__canvas" aria-hidden="true" />
          <button
            type="button"
            className="task-grid__active"
            style={{ left: corner.x, top: corner.y, width: layout.size, height: layout.size }}
            aria-label={activeLabel}
            aria-keyshortcuts="ArrowUp ArrowDown ArrowLeft ArrowRight Enter Space Shift+ArrowRight"
            onKeyDown={cursor.onKeyDown}
            onFocus={() => setIsFocused(true)}
            onBlur={() => setIsFocused(false)}
          />
        </div>
      </div>
      {described !== null && described < cells.length && (
        <CellCard
          key={props.stepId}
          stepId={props.stepId}
          index={described}
          name={drag === null ? cellName(scale, described) : frameText(scale, [rangeOf(drag)])}
          status={statusAt(cells, described)}
          showsTask={drag === null}
          at={{
            x: cornerOf(layout, described).x,
            top: cornerOf(layout, described).y,
            size: layout.size,
            width,
          }}
          box={scroller}
        />
      )}
      <span className="visually-hidden" role="status">
        {isFocused ? activeLabel : ''}
      </span>
    </div>
  );
}

const cellName = (scale: FrameScale, index: number): string =>
  `${scale.parameter === '' ? 'Task' : scale.parameter} ${scale.labelAt(index)}`;

const statusAt = (cells: string, index: number): CellStatus => GRID_STATUSES[cells[index] ?? ''] ?? 'pending';
