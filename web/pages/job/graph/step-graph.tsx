import { Maximize, ZoomIn, ZoomOut } from 'lucide-react';
import { useEffect, useMemo, useRef, useState, type PointerEvent } from 'react';
import type { Step } from '../../../../client/resources.ts';
import { IconButton } from '../../../parts/button.tsx';
import { classNames } from '../../../parts/class-names.ts';
import { StatusGlyph, statusColor } from '../../../parts/status-badge.tsx';
import { statusStyle } from '../../../parts/status-looks.ts';
import { countsText } from '../../../parts/task-counts.ts';
import { TaskProgress } from '../../../parts/task-progress.tsx';
import { layoutOfSteps, NODE_HEIGHT, NODE_WIDTH, pathThrough } from './step-layout.ts';
import { fitted, panned, zoomed, type Size, type View } from './view-box.ts';
import './step-graph.css';

const HEIGHT_MAX = 420;
const HEIGHT_MIN = 140;
const ZOOM_STEP = 1.25;
/** Pixels of the wheel that double the size. */
const WHEEL_DOUBLE = 400;

/** The steps as a graph, each with its progress: moved by dragging, scaled by the buttons, or the wheel with Ctrl. */
export function StepGraph({
  steps,
  chosen,
  onChoose,
}: {
  steps: readonly Step[];
  chosen: string;
  onChoose: (name: string) => void;
}) {
  const shape = JSON.stringify(steps.map(({ name, depends_on }) => ({ name, depends_on })));
  // How the steps hang together never changes, what they are does.
  const layout = useMemo(
    () => layoutOfSteps(JSON.parse(shape) as readonly Pick<Step, 'name' | 'depends_on'>[]),
    [shape],
  );
  const frame = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<Size | null>(null);
  /** Null: all of it. */
  const [moved, setMoved] = useState<View | null>(null);
  const [grip, setGrip] = useState<{ readonly x: number; readonly y: number } | null>(null);
  const height = Math.min(HEIGHT_MAX, Math.max(HEIGHT_MIN, layout.height));
  const view = moved ?? fitted(layout, { width: size?.width ?? layout.width, height });
  const middle = { x: (size?.width ?? layout.width) / 2, y: height / 2 };

  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const watcher = new ResizeObserver(() =>
      setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    watcher.observe(element);
    const turn = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const rect = element.getBoundingClientRect();
      const at = { x: event.clientX - rect.left, y: event.clientY - rect.top };
      const size = { width: element.clientWidth, height: element.clientHeight };
      setMoved((before) => zoomed(before ?? fitted(layout, size), 2 ** (-event.deltaY / WHEEL_DOUBLE), at));
    };
    // React listens to the wheel passively: the page would zoom as well.
    element.addEventListener('wheel', turn, { passive: false });
    return () => {
      watcher.disconnect();
      element.removeEventListener('wheel', turn);
    };
  }, [layout]);

  const drag = (event: PointerEvent): void => {
    if (grip === null) return;
    setMoved(panned(view, event.clientX - grip.x, event.clientY - grip.y));
    setGrip({ x: event.clientX, y: event.clientY });
  };
  return (
    <div className="step-graph" role="group" aria-label="Steps and what they wait for">
      <div
        ref={frame}
        className={classNames('step-graph__window', grip !== null && 'step-graph__window--dragged')}
        style={{ height }}
        onPointerDown={(event) => {
          if (event.button !== 0 || !(event.target instanceof Element) || event.target.closest('button'))
            return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setGrip({ x: event.clientX, y: event.clientY });
        }}
        onPointerMove={drag}
        onPointerUp={() => setGrip(null)}
        onPointerCancel={() => setGrip(null)}
      >
        <div
          className="step-graph__drawing"
          style={{
            width: layout.width,
            height: layout.height,
            transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})`,
          }}
        >
          <svg width={layout.width} height={layout.height} aria-hidden="true">
            <defs>
              <marker
                id="step-graph-arrow"
                viewBox="0 0 8 8"
                refX="7"
                refY="4"
                markerWidth="7"
                markerHeight="7"
                orient="auto"
              >
                <path d="M0,0 L8,4 L0,8 z" fill="var(--border-strong)" />
              </marker>
            </defs>
            {layout.edges.map(({ from, to, points }) => (
              <path
                key={`${from} ${to}`}
                d={pathThrough(points)}
                className={classNames(
                  'step-graph__edge',
                  (from === chosen || to === chosen) && 'step-graph__edge--chosen',
                )}
                markerEnd="url(#step-graph-arrow)"
              />
            ))}
          </svg>
          {steps.map((step) => (
            <Node
              key={step.id}
              step={step}
              at={layout.nodes.get(step.name) ?? { x: 0, y: 0 }}
              isChosen={step.name === chosen}
              onChoose={() => onChoose(step.name)}
              onFocus={() =>
                setMoved((before) => intoView(before ?? view, layout.nodes.get(step.name), size))
              }
            />
          ))}
        </div>
      </div>
      <div className="step-graph__tools">
        <IconButton
          label="Smaller"
          icon={<ZoomOut aria-hidden="true" />}
          size="small"
          onPress={() => setMoved(zoomed(view, 1 / ZOOM_STEP, middle))}
        />
        <IconButton
          label="Larger"
          icon={<ZoomIn aria-hidden="true" />}
          size="small"
          onPress={() => setMoved(zoomed(view, ZOOM_STEP, middle))}
        />
        <IconButton
          label="Show all of it"
          icon={<Maximize aria-hidden="true" />}
          size="small"
          onPress={() => setMoved(null)}
        />
      </div>
    </div>
  );
}

function Node({
  step,
  at,
  isChosen,
  onChoose,
  onFocus,
}: {
  step: Step;
  at: { readonly x: number; readonly y: number };
  isChosen: boolean;
  onChoose: () => void;
  onFocus: () => void;
}) {
  const look = statusStyle('step', step.status);
  return (
    <button
      type="button"
      className={classNames('step-graph__node', isChosen && 'step-graph__node--chosen')}
      style={{ left: at.x, top: at.y, width: NODE_WIDTH, height: NODE_HEIGHT, ...statusColor(look.color) }}
      aria-pressed={isChosen}
      title={`${step.name}: ${countsText(step.task_counts)}`}
      onClick={onChoose}
      onFocus={onFocus}
    >
      <span className="step-graph__name">
        <StatusGlyph kind="step" status={step.status} />
        <span>{step.name}</span>
        <span className="visually-hidden">{look.label.toLowerCase()}</span>
      </span>
      <span className="step-graph__count number">
        {step.task_counts.succeeded.toLocaleString('en')}/{step.task_counts.total.toLocaleString('en')}
        {step.task_counts.failed > 0 && (
          <span className="step-graph__failed"> {step.task_counts.failed.toLocaleString('en')} failed</span>
        )}
      </span>
      <TaskProgress counts={step.task_counts} isBare />
    </button>
  );
}

/** The view moved so far that the step is in the window; the same when it is. */
function intoView(
  view: View,
  at: { readonly x: number; readonly y: number } | undefined,
  size: Size | null,
): View {
  if (at === undefined || size === null) return view;
  const left = at.x * view.scale + view.x;
  const top = at.y * view.scale + view.y;
  const dx = shift(left, left + NODE_WIDTH * view.scale, size.width);
  const dy = shift(top, top + NODE_HEIGHT * view.scale, size.height);
  return dx === 0 && dy === 0 ? view : panned(view, dx, dy);
}

function shift(from: number, to: number, length: number): number {
  const margin = 8;
  if (from < margin) return margin - from;
  return to > length - margin ? length - margin - to : 0;
}
