import { useEffect, useEffectEvent, useState, type RefObject } from 'react';
import { resolvedColors, useSchemeName } from '../canvas-colors.ts';
import { fittedCanvas } from '../fitted-canvas.ts';
import { timeFormats } from '../time-formats.ts';
import { useUtc } from '../time.tsx';
import { AXIS_HEIGHT, drawTimeline, ROW_HEIGHT, timeAt, TIMELINE_COLORS } from './draw-timeline.ts';
import { wholeView, zoomed, type TimeView } from './time-view.ts';
import type { TimelineItem, TimelineModel, TimelinePlace } from './timeline-model.ts';

const WHEEL_ZOOM = 1.002;
const GUTTER = 140;
const GUTTER_NARROW = 72;
const GUTTER_WIDE = 240;
const NARROW = 560;
const WIDE = 1_400;

/** Formats of the times in the chart. */
export const TEXTS = {
  day: timeFormats({ month: 'short', day: 'numeric' }),
  minute: timeFormats({ hour: '2-digit', minute: '2-digit' }),
  second: timeFormats({ hour: '2-digit', minute: '2-digit', second: '2-digit' }),
};

const gutterOf = (width: number): number =>
  width < NARROW ? GUTTER_NARROW : width > WIDE ? GUTTER_WIDE : GUTTER;

export interface TimelineProps {
  readonly model: TimelineModel;
  /** Time at which items in progress end, in milliseconds since the epoch. */
  readonly now: number;
  readonly label: string;
  readonly onOpen: (item: TimelineItem) => void;
}

export interface Zoom {
  readonly view: TimeView;
  readonly whole: TimeView;
  readonly isWhole: boolean;
  readonly setView: (view: TimeView | null) => void;
  /** Zooms in by `factor`, or out if it is below 1; the time `at` keeps its place. */
  readonly zoomAt: (factor: number, at: number) => void;
}

function useZoom({ from, to }: TimelineModel): Zoom {
  const [chosenView, setView] = useState<TimeView | null>(null);
  const whole = wholeView(from, to);
  const view = chosenView ?? whole;
  return {
    view,
    whole,
    isWhole: chosenView === null,
    setView,
    zoomAt: (factor, at) => setView(zoomed(view, whole, factor, at)),
  };
}

export type TimelineState = ReturnType<typeof useTimelineState>;

/** State of the chart, and the effects that draw it. */
export function useTimelineState(
  { model, now }: TimelineProps,
  scroller: RefObject<HTMLDivElement | null>,
  canvas: RefObject<HTMLCanvasElement | null>,
) {
  const zoom = useZoom(model);
  const { view } = zoom;
  const [width, setWidth] = useState(0);
  const [hovered, setHovered] = useState<TimelineItem | null>(null);
  const [place, setPlace] = useState<TimelinePlace>({ row: 0, index: 0 });
  const [isFocused, setIsFocused] = useState(false);
  const [isUtc] = useUtc();
  const scheme = useSchemeName();
  const gutter = gutterOf(width);
  const height = AXIS_HEIGHT + model.rows.length * ROW_HEIGHT;
  const active = model.rows[place.row]?.[place.index] ?? null;
  const marked = hovered ?? (isFocused ? active : null);

  const draw = useEffectEvent(() =>
    drawChart(canvas.current, scroller.current, { model, view, now, gutter, isUtc, marked, scheme }),
  );
  const zoomByWheel = useEffectEvent((event: WheelEvent) => {
    const box = scroller.current;
    if (box === null || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    const x = event.clientX - box.getBoundingClientRect().left;
    zoom.zoomAt(WHEEL_ZOOM ** -event.deltaY, timeAt(x, view, gutter, box.clientWidth));
  });
  useEffect(() => {
    const box = scroller.current;
    if (box === null) return undefined;
    return watchBox(box, {
      draw: () => draw(),
      resized: setWidth,
      wheel: (event) => zoomByWheel(event),
    });
  }, [scroller]);
  useEffect(() => {
    const frame = requestAnimationFrame(() => draw());
    return () => cancelAnimationFrame(frame);
  }, [model, view.from, view.to, now, marked, scheme, isUtc, width, height]);
  return { zoom, width, gutter, height, active, marked, place, setPlace, setHovered, setIsFocused };
}

interface ChartState {
  readonly model: TimelineModel;
  readonly view: TimeView;
  readonly now: number;
  readonly gutter: number;
  readonly isUtc: boolean;
  readonly marked: TimelineItem | null;
  readonly scheme: string;
}

function drawChart(
  canvas: HTMLCanvasElement | null,
  box: HTMLElement | null,
  { scheme, ...state }: ChartState,
): void {
  const fitted = fittedCanvas(canvas, box);
  if (fitted === null || canvas === null || box === null) return;
  const { context, ...visible } = fitted;
  canvas.style.height = `${visible.height}px`;
  drawTimeline(context, {
    ...state,
    ...visible,
    colors: resolvedColors(scheme, TIMELINE_COLORS),
    font: getComputedStyle(box).fontFamily,
    top: box.scrollTop,
    timeText: (time, form) => TEXTS[form][state.isUtc ? 'utc' : 'local'].format(time),
  });
}

/** Calls `draw` in the next frame after a scroll or a resize. Returns a function that stops it. */
function watchBox(
  box: HTMLElement,
  {
    draw,
    resized,
    wheel,
  }: { draw: () => void; resized: (width: number) => void; wheel: (event: WheelEvent) => void },
): () => void {
  let frame = 0;
  const drawLater = (): void => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(draw);
  };
  const watcher = new ResizeObserver(() => {
    resized(box.clientWidth);
    drawLater();
  });
  watcher.observe(box);
  box.addEventListener('scroll', drawLater, { passive: true });
  // React adds passive wheel listeners, which cannot prevent the browser from zooming the page.
  box.addEventListener('wheel', wheel, { passive: false });
  return () => {
    cancelAnimationFrame(frame);
    watcher.disconnect();
    box.removeEventListener('scroll', drawLater);
    box.removeEventListener('wheel', wheel);
  };
}
