import { useEffect, useEffectEvent, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { GRID_STATUSES, statusStyle, type ProgressPart } from '../../../parts/status-looks.ts';
import { frameText, type FrameScale } from '../model/frames.ts';
import { cornerOf, fittingZoom, layoutOf, moveCursor, indexAt, ZOOMS } from '../model/grid-layout.ts';
import type { IndexRange } from '../model/index-ranges.ts';
import { resolvedColors, useSchemeName } from '../../../parts/canvas-colors.ts';
import { fittedCanvas } from '../../../parts/fitted-canvas.ts';
import { CellCard } from './cell-card.tsx';
import { drawGrid, GRID_COLORS } from './draw-grid.ts';
import './task-grid.css';

export interface TaskGridProps {
  readonly stepId: string;
  readonly stepName: string;
  readonly cells: string;
  readonly scale: FrameScale;
  readonly picked: readonly ProgressPart[];
  readonly selected: readonly IndexRange[];
  /** A step of the zooms; null: as large as fits. */
  readonly zoom: number | null;
  readonly onSelect: (runs: readonly IndexRange[]) => void;
  readonly onOpen: (place: number) => void;
}

/** The room that a grid is fitted into, of the window. */
const ROOM = 0.5;
const ROOM_MIN = 220;
const WIDTH_AT_FIRST = 800;

interface Drag {
  readonly from: number;
  readonly to: number;
}

const runOf = ({ from, to }: Drag): IndexRange => ({ first: Math.min(from, to), last: Math.max(from, to) });

/** The zoom that is in force. */
export function effectiveZoom(zoom: number | null, count: number, width: number): number {
  return zoom ?? fittingZoom(count, width, Math.max(ROOM_MIN, window.innerHeight * ROOM));
}

/**
 * The tasks of a step, a cell each: pressed, a task is opened; dragged over, or with Shift, a range is selected; arrows move, Enter opens, Shift
 * and arrows select.
 */
export function TaskGrid(props: TaskGridProps) {
  const { stepId, stepName, cells, scale, picked, selected, onSelect, onOpen } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(WIDTH_AT_FIRST);
  const [height, setHeight] = useState(0);
  const [hovered, setHovered] = useState<number | null>(null);
  const [active, setActive] = useState(0);
  const [anchor, setAnchor] = useState(0);
  const [isFocused, setIsFocused] = useState(false);
  const [drag, setDrag] = useState<Drag | null>(null);
  const scheme = useSchemeName();
  const pitch = ZOOMS[effectiveZoom(props.zoom, cells.length, width)] ?? ZOOMS[0];
  const layout = layoutOf(cells.length, width, pitch);
  const shownSelection = drag === null ? selected : [runOf(drag)];
  const activePlace = Math.min(active, Math.max(0, cells.length - 1));

  const draw = useEffectEvent(() => {
    const box = scroller.current;
    const fitted = fittedCanvas(canvas.current, box);
    if (fitted === null || box === null) return;
    const { context, ...seen } = fitted;
    drawGrid(context, {
      layout,
      cells,
      scale,
      picked,
      selected: shownSelection,
      colors: resolvedColors(scheme, GRID_COLORS),
      font: getComputedStyle(box).fontFamily,
      top: box.scrollTop,
      ...seen,
    });
  });

  useEffect(() => {
    const box = scroller.current;
    if (box === null) return undefined;
    let frame = 0;
    const later = (): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => draw());
    };
    const watcher = new ResizeObserver(() => {
      setWidth(box.clientWidth);
      setHeight(box.clientHeight);
      later();
    });
    watcher.observe(box);
    box.addEventListener('scroll', later, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      watcher.disconnect();
      box.removeEventListener('scroll', later);
    };
  }, []);
  useEffect(() => {
    const frame = requestAnimationFrame(() => draw());
    return () => cancelAnimationFrame(frame);
  }, [cells, scale, picked, selected, drag, scheme, width, height, pitch]);

  const under = (event: PointerEvent): number | null => {
    const box = scroller.current;
    if (box === null) return null;
    const rect = box.getBoundingClientRect();
    return indexAt(layout, event.clientX - rect.left, event.clientY - rect.top + box.scrollTop);
  };
  const seeActive = (place: number): void => {
    const box = scroller.current;
    if (box === null) return;
    const { y } = cornerOf(layout, place);
    if (y < box.scrollTop) box.scrollTop = y;
    else if (y + layout.pitch > box.scrollTop + box.clientHeight)
      box.scrollTop = y + layout.pitch - box.clientHeight;
  };
  const pressKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && selected.length > 0) {
      event.preventDefault();
      onSelect([]);
      return;
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      onOpen(activePlace);
      return;
    }
    if (event.key === ' ') {
      event.preventDefault();
      setAnchor(activePlace);
      onSelect([{ first: activePlace, last: activePlace }]);
      return;
    }
    const page = Math.floor((scroller.current?.clientHeight ?? 0) / layout.pitch);
    const to = moveCursor(layout, activePlace, event.key, page);
    if (to === null || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    setActive(to);
    seeActive(to);
    if (event.shiftKey) onSelect([runOf({ from: anchor, to })]);
    else setAnchor(to);
  };
  const nameOf = (place: number): string =>
    `${scale.parameter === '' ? 'Task' : scale.parameter} ${scale.labelAt(place)}`;
  const statusAt = (place: number): ProgressPart => GRID_STATUSES[cells[place] ?? ''] ?? 'pending';
  const corner = cornerOf(layout, activePlace);
  const told = drag === null ? (hovered ?? (isFocused ? activePlace : null)) : drag.to;
  return (
    <div className="task-grid" role="group" aria-label={`Tasks of ${stepName}`}>
      <div
        ref={scroller}
        className="task-grid__scroller"
        style={{ height: layout.height }}
        onPointerDown={(event) => {
          const place = under(event);
          if (place === null || event.button !== 0) return;
          setActive(place);
          if (event.shiftKey) {
            event.preventDefault();
            onSelect([runOf({ from: anchor, to: place })]);
            return;
          }
          setAnchor(place);
          if (event.pointerType === 'mouse') {
            event.preventDefault();
            event.currentTarget.setPointerCapture(event.pointerId);
            setDrag({ from: place, to: place });
          }
        }}
        onPointerMove={(event) => {
          const place = under(event);
          if (event.pointerType === 'mouse') setHovered(place);
          if (drag !== null && place !== null && place !== drag.to) setDrag({ ...drag, to: place });
        }}
        onPointerUp={(event) => {
          const place = under(event);
          if (drag !== null && drag.from !== drag.to) onSelect([runOf(drag)]);
          else if (place !== null && !event.shiftKey && event.button === 0 && place === activePlace)
            onOpen(place);
          setDrag(null);
        }}
        onPointerCancel={() => setDrag(null)}
        onPointerLeave={() => setHovered(null)}
      >
        <div className="task-grid__space" style={{ height: layout.height }}>
          <canvas ref={canvas} className="task-grid__canvas" aria-hidden="true" />
          <button
            type="button"
            className="task-grid__active"
            style={{ left: corner.x, top: corner.y, width: layout.size, height: layout.size }}
            aria-label={`${nameOf(activePlace)}: ${statusStyle('task', statusAt(activePlace)).label.toLowerCase()}`}
            aria-keyshortcuts="ArrowUp ArrowDown ArrowLeft ArrowRight Enter Space Shift+ArrowRight"
            onKeyDown={pressKey}
            onFocus={() => setIsFocused(true)}
            onBlur={() => setIsFocused(false)}
          />
        </div>
      </div>
      {told !== null && told < cells.length && (
        <CellCard
          key={stepId}
          stepId={stepId}
          place={told}
          name={drag === null ? nameOf(told) : frameText(scale, [runOf(drag)])}
          status={statusAt(told)}
          isWanted={drag === null}
          at={{
            x: cornerOf(layout, told).x,
            top: cornerOf(layout, told).y,
            size: layout.size,
            width,
          }}
          box={scroller}
        />
      )}
      <span className="visually-hidden" role="status">
        {isFocused
          ? `${nameOf(activePlace)}: ${statusStyle('task', statusAt(activePlace)).label.toLowerCase()}`
          : ''}
      </span>
    </div>
  );
}
