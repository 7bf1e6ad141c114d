import { Maximize, ZoomIn, ZoomOut } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { IconButton } from '../button.tsx';
import { resolvedColors, useSchemeName } from '../canvas-colors.ts';
import { classNames } from '../class-names.ts';
import { fittedCanvas } from '../fitted-canvas.ts';
import { statusColor } from '../status-badge.tsx';
import { statusStyle } from '../status-looks.ts';
import { timeFormats } from '../time-formats.ts';
import { durationText } from '../time-text.ts';
import { useUtc } from '../time.tsx';
import { AXIS_HEIGHT, drawTimeline, ROW_HEIGHT, timeAt, TIMELINE_COLORS } from './draw-timeline.ts';
import { panned, showing, wholeView, zoomed, type TimeView } from './time-view.ts';
import {
  endOf,
  itemAt,
  moveCursor,
  type TimelineItem,
  type TimelineModel,
  type TimelinePlace,
} from './timeline-model.ts';
import './timeline.css';

const ZOOM_STEP = 2;
const WHEEL_ZOOM = 1.002;
/** Pixels around a pointer in which a narrow bar is still meant. */
const REACH = 4;
/** A press that moved less than this opens what it pressed. */
const DRAG_MIN = 4;
const GUTTER = 140;
const GUTTER_NARROW = 72;
const NARROW = 560;

const TEXTS = {
  day: timeFormats({ month: 'short', day: 'numeric' }),
  minute: timeFormats({ hour: '2-digit', minute: '2-digit' }),
  second: timeFormats({ hour: '2-digit', minute: '2-digit', second: '2-digit' }),
};

const gutterOf = (width: number): number => (width < NARROW ? GUTTER_NARROW : GUTTER);

interface Drag {
  readonly x: number;
  readonly view: TimeView;
  readonly hasMoved: boolean;
}

/**
 * Who did what when, a bar each: dragged, it moves in time; Control and the wheel, + and - zoom; arrows go from bar to bar, Enter or a press
 * opens one. `now` is where that which goes on ends.
 */
export function Timeline({
  model,
  now,
  label,
  onOpen,
}: {
  model: TimelineModel;
  now: number;
  label: string;
  onOpen: (item: TimelineItem) => void;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [chosenView, setView] = useState<TimeView | null>(null);
  const [hovered, setHovered] = useState<TimelineItem | null>(null);
  const [place, setPlace] = useState<TimelinePlace>({ row: 0, index: 0 });
  const [isFocused, setIsFocused] = useState(false);
  const [drag, setDrag] = useState<Drag | null>(null);
  const [isUtc] = useUtc();
  const scheme = useSchemeName();
  const whole = wholeView(model.from, model.to);
  const view = chosenView ?? whole;
  const gutter = gutterOf(width);
  const height = AXIS_HEIGHT + model.rows.length * ROW_HEIGHT;
  const active = model.rows[place.row]?.[place.index] ?? null;
  const marked = hovered ?? (isFocused ? active : null);

  const draw = useEffectEvent(() => {
    const element = canvas.current;
    const box = scroller.current;
    const fitted = fittedCanvas(element, box);
    if (fitted === null || element === null || box === null) return;
    const { context, ...seen } = fitted;
    element.style.height = `${seen.height}px`;
    drawTimeline(context, {
      model,
      view,
      now,
      gutter,
      isUtc,
      marked,
      colors: resolvedColors(scheme, TIMELINE_COLORS),
      font: getComputedStyle(box).fontFamily,
      top: box.scrollTop,
      timeText: (time, form) => TEXTS[form][isUtc ? 'utc' : 'local'].format(time),
      ...seen,
    });
  });
  const zoomAt = (factor: number, at: number): void => setView(zoomed(view, whole, factor, at));
  const wheel = useEffectEvent((event: WheelEvent) => {
    const box = scroller.current;
    if (box === null || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    const x = event.clientX - box.getBoundingClientRect().left;
    zoomAt(WHEEL_ZOOM ** -event.deltaY, timeAt(x, view, gutter, box.clientWidth));
  });
  useEffect(() => {
    const box = scroller.current;
    if (box === null) return undefined;
    let frame = 0;
    const later = (): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => draw());
    };
    const turned = (event: WheelEvent): void => wheel(event);
    const watcher = new ResizeObserver(() => {
      setWidth(box.clientWidth);
      later();
    });
    watcher.observe(box);
    box.addEventListener('scroll', later, { passive: true });
    // React's own listener may not keep the page from being zoomed.
    box.addEventListener('wheel', turned, { passive: false });
    return () => {
      cancelAnimationFrame(frame);
      watcher.disconnect();
      box.removeEventListener('scroll', later);
      box.removeEventListener('wheel', turned);
    };
  }, []);
  useEffect(() => {
    const frame = requestAnimationFrame(() => draw());
    return () => cancelAnimationFrame(frame);
  }, [model, view.from, view.to, now, marked, scheme, isUtc, width, height]);

  const under = (event: PointerEvent): TimelineItem | null => {
    const box = scroller.current;
    if (box === null) return null;
    const rect = box.getBoundingClientRect();
    const x = event.clientX - rect.left;
    const y = event.clientY - rect.top;
    if (x < gutter || y < AXIS_HEIGHT) return null;
    const row = model.rows[Math.floor((y - AXIS_HEIGHT + box.scrollTop) / ROW_HEIGHT)];
    const reach = (REACH / Math.max(1, box.clientWidth - gutter)) * (view.to - view.from);
    return itemAt(row ?? [], timeAt(x, view, gutter, box.clientWidth), reach, now);
  };
  const show = (to: TimelinePlace): void => {
    const item = model.rows[to.row]?.[to.index];
    const box = scroller.current;
    if (item === undefined || box === null) return;
    setPlace(to);
    setHovered(null);
    setView(showing(view, whole, item.from, endOf(item, now)));
    const y = to.row * ROW_HEIGHT;
    if (y < box.scrollTop) box.scrollTop = y;
    else if (y + AXIS_HEIGHT + ROW_HEIGHT > box.scrollTop + box.clientHeight)
      box.scrollTop = y + AXIS_HEIGHT + ROW_HEIGHT - box.clientHeight;
  };
  const middle = active === null ? (view.from + view.to) / 2 : (active.from + endOf(active, now)) / 2;
  const pressKey = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const to = moveCursor(model, place, event.key, now);
    if (to !== null) show(to);
    else if (event.key === 'Enter' && active !== null) onOpen(active);
    else if (event.key === '+' || event.key === '=') zoomAt(ZOOM_STEP, middle);
    else if (event.key === '-') zoomAt(1 / ZOOM_STEP, middle);
    else if (event.key === '0') setView(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const release = (event: PointerEvent): void => {
    const item = under(event);
    if (drag !== null && !drag.hasMoved && item !== null && event.button === 0) onOpen(item);
    setDrag(null);
  };
  return (
    <div className="timeline">
      <div className="timeline__bar">
        <div className="timeline__told" aria-live="polite">
          {marked === null ? (
            <span className="muted">
              Drag to move in time; Ctrl and the wheel zoom; arrows go from task to task.
            </span>
          ) : (
            <Told item={marked} lane={laneLabel(model, marked)} now={now} />
          )}
        </div>
        <IconButton
          label="Zoom in"
          size="small"
          icon={<ZoomIn aria-hidden="true" />}
          onPress={() => zoomAt(ZOOM_STEP, (view.from + view.to) / 2)}
        />
        <IconButton
          label="Zoom out"
          size="small"
          icon={<ZoomOut aria-hidden="true" />}
          disabledReason={chosenView === null ? 'All of it is shown.' : ''}
          onPress={() => zoomAt(1 / ZOOM_STEP, (view.from + view.to) / 2)}
        />
        <IconButton
          label="Show all of it"
          size="small"
          icon={<Maximize aria-hidden="true" />}
          disabledReason={chosenView === null ? 'All of it is shown.' : ''}
          onPress={() => setView(null)}
        />
      </div>
      <div
        ref={scroller}
        className={classNames('timeline__scroller', drag?.hasMoved === true && 'timeline__scroller--dragged')}
        role="application"
        aria-label={label}
        aria-roledescription="time line"
        tabIndex={0}
        onKeyDown={pressKey}
        onFocus={() => setIsFocused(true)}
        onBlur={() => setIsFocused(false)}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag({ x: event.clientX, view, hasMoved: false });
        }}
        onPointerMove={(event) => {
          if (drag === null) {
            setHovered(under(event));
            return;
          }
          const by = event.clientX - drag.x;
          if (!drag.hasMoved && Math.abs(by) < DRAG_MIN) return;
          if (!drag.hasMoved) setDrag({ ...drag, hasMoved: true });
          const { from, to } = drag.view;
          setView(panned(drag.view, whole, (-by / Math.max(1, width - gutter)) * (to - from)));
        }}
        onPointerUp={release}
        onPointerCancel={() => setDrag(null)}
        onPointerLeave={() => setHovered(null)}
      >
        <div className="timeline__space" style={{ height }}>
          <canvas ref={canvas} className="timeline__canvas" aria-hidden="true" />
        </div>
      </div>
      <Legend model={model} />
    </div>
  );
}

/** What the colours mean, of those that are there. */
function Legend({ model }: { model: TimelineModel }) {
  const statuses = [...new Set(model.rows.flatMap((row) => row.map(({ status }) => status)))].sort();
  return (
    <ul className="timeline__legend">
      {statuses.map((status) => {
        const { label, color } = statusStyle('task', status);
        return (
          <li key={status} style={statusColor(color)}>
            {label}
          </li>
        );
      })}
    </ul>
  );
}

const laneLabel = (model: TimelineModel, item: TimelineItem): string =>
  model.lanes.find(({ id }) => id === item.lane)?.label ?? '';

function Told({ item, lane, now }: { item: TimelineItem; lane: string; now: number }) {
  const [isUtc] = useUtc();
  const text = TEXTS.second[isUtc ? 'utc' : 'local'];
  const { label } = statusStyle('task', item.status);
  return (
    <>
      <bdi>
        <strong>{item.name}</strong>
      </bdi>{' '}
      <span className="muted">
        {label} · <bdi>{lane}</bdi> · {text.format(item.from)}
        {item.to === null ? ' until now' : ` to ${text.format(item.to)}`} ·{' '}
        {durationText(endOf(item, now) - item.from)}
      </span>
    </>
  );
}
