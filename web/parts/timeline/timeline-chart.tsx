import { useState, type KeyboardEvent, type PointerEvent, type RefObject } from 'react';
import { classNames } from '../class-names.ts';
import { AXIS_HEIGHT, ROW_HEIGHT, timeAt } from './draw-timeline.ts';
import { panned, showing, type TimeView } from './time-view.ts';
import { endOf, itemAt, moveCursor, type TimelineItem, type TimelinePlace } from './timeline-model.ts';
import type { TimelineProps, TimelineState } from './use-timeline-state.ts';

/** Factor of a zoom by a key or a button. */
export const ZOOM_STEP = 2;
/** Distance in pixels from which a narrow bar can be selected. */
const REACH = 4;
/** Movement in pixels that turns a click into a drag. */
const DRAG_MIN = 4;

interface Drag {
  readonly x: number;
  readonly view: TimeView;
  readonly hasMoved: boolean;
}

interface ChartProps {
  readonly props: TimelineProps;
  readonly state: TimelineState;
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly canvas: RefObject<HTMLCanvasElement | null>;
}

/** The canvas, with pointer and keyboard control. */
export function TimelineChart({ props, state, scroller, canvas }: ChartProps) {
  const { label, onOpen } = props;
  const { zoom, width, gutter, height, setHovered, setIsFocused } = state;
  const [drag, setDrag] = useState<Drag | null>(null);
  const itemUnder = (event: PointerEvent): TimelineItem | null =>
    scroller.current === null ? null : itemAtPointer(event, scroller.current, props, state);
  const move = (event: PointerEvent): void => {
    if (drag === null) {
      setHovered(itemUnder(event));
      return;
    }
    const by = event.clientX - drag.x;
    if (!drag.hasMoved && Math.abs(by) < DRAG_MIN) return;
    if (!drag.hasMoved) setDrag({ ...drag, hasMoved: true });
    const { from, to } = drag.view;
    zoom.setView(panned(drag.view, zoom.whole, (-by / Math.max(1, width - gutter)) * (to - from)));
  };
  const release = (event: PointerEvent): void => {
    const item = itemUnder(event);
    if (drag !== null && !drag.hasMoved && item !== null && event.button === 0) onOpen(item);
    setDrag(null);
  };
  return (
    <div
      ref={scroller}
      className={classNames('timeline__scroller', drag?.hasMoved === true && 'timeline__scroller--dragged')}
      role="application"
      aria-label={label}
      aria-roledescription="timeline"
      tabIndex={0}
      onKeyDown={(event) => {
        if (scroller.current !== null) handleKey(event, scroller.current, props, state);
      }}
      onFocus={() => setIsFocused(true)}
      onBlur={() => setIsFocused(false)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ x: event.clientX, view: zoom.view, hasMoved: false });
      }}
      onPointerMove={move}
      onPointerUp={release}
      onPointerCancel={() => setDrag(null)}
      onPointerLeave={() => setHovered(null)}
    >
      <div className="timeline__space" style={{ height }}>
        <canvas ref={canvas} className="timeline__canvas" aria-hidden="true" />
      </div>
    </div>
  );
}

/** Returns the item under the pointer; null outside bars. */
function itemAtPointer(
  event: PointerEvent,
  box: HTMLElement,
  { model, now }: TimelineProps,
  { gutter, zoom: { view } }: TimelineState,
): TimelineItem | null {
  const rect = box.getBoundingClientRect();
  const x = event.clientX - rect.left;
  const y = event.clientY - rect.top;
  if (x < gutter || y < AXIS_HEIGHT) return null;
  const row = model.rows[Math.floor((y - AXIS_HEIGHT + box.scrollTop) / ROW_HEIGHT)];
  const reach = (REACH / Math.max(1, box.clientWidth - gutter)) * (view.to - view.from);
  return itemAt(row ?? [], timeAt(x, view, gutter, box.clientWidth), reach, now);
}

function handleKey(
  event: KeyboardEvent,
  box: HTMLElement,
  { model, now, onOpen }: TimelineProps,
  state: TimelineState,
): void {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const { zoom, active, place } = state;
  const { view } = zoom;
  const middle = active === null ? (view.from + view.to) / 2 : (active.from + endOf(active, now)) / 2;
  const to = moveCursor(model, place, event.key, now);
  if (to !== null) {
    const item = model.rows[to.row]?.[to.index];
    if (item !== undefined) reveal(box, item, to, now, state);
  } else if (event.key === 'Enter' && active !== null) onOpen(active);
  else if (event.key === '+' || event.key === '=') zoom.zoomAt(ZOOM_STEP, middle);
  else if (event.key === '-') zoom.zoomAt(1 / ZOOM_STEP, middle);
  else if (event.key === '0') zoom.setView(null);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** Makes the item at a place the active one, and scrolls it into view in both directions. */
function reveal(
  box: HTMLElement,
  item: TimelineItem,
  place: TimelinePlace,
  now: number,
  { zoom: { view, whole, setView }, setPlace, setHovered }: TimelineState,
): void {
  setPlace(place);
  setHovered(null);
  setView(showing(view, whole, item.from, endOf(item, now)));
  const y = place.row * ROW_HEIGHT;
  if (y < box.scrollTop) box.scrollTop = y;
  else if (y + AXIS_HEIGHT + ROW_HEIGHT > box.scrollTop + box.clientHeight)
    box.scrollTop = y + AXIS_HEIGHT + ROW_HEIGHT - box.clientHeight;
}
