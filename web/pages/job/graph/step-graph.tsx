import { Maximize, ZoomIn, ZoomOut } from 'lucide-react';
import { useMemo } from 'react';
import type { Step } from '../../../../client/resources.ts';
import { IconButton } from '../../../parts/button.tsx';
import { classNames } from '../../../parts/class-names.ts';
import { StatusGlyph, statusColor } from '../../../parts/status-badge.tsx';
import { statusStyle } from '../../../parts/status-looks.ts';
import { countsText } from '../../../parts/task-counts.ts';
import { TaskProgress } from '../../../parts/task-progress.tsx';
import {
  layoutOfSteps,
  NODE_HEIGHT,
  NODE_WIDTH,
  pathThrough,
  type GraphLayout,
  type Point,
} from './step-layout.ts';
import { useGraphView, type GraphView } from './use-graph-view.ts';
import './step-graph.css';

const ZOOM_STEP = 1.25;

/** The steps and their dependencies as a graph with the progress of each step. */
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
  // Dependencies never change, but each response brings new objects of the steps.
  const layout = useMemo(
    () => layoutOfSteps(JSON.parse(shape) as readonly Pick<Step, 'name' | 'depends_on'>[]),
    [shape],
  );
  const graph = useGraphView(layout);
  const { frame, view, height, isDragging, reveal, handlers } = graph;
  return (
    <div className="step-graph" role="group" aria-label="Steps and their dependencies">
      <div
        ref={frame}
        className={classNames('step-graph__window', isDragging && 'step-graph__window--dragged')}
        style={{ height }}
        {...handlers}
      >
        <div
          className="step-graph__drawing"
          style={{
            width: layout.width,
            height: layout.height,
            transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})`,
          }}
        >
          <Edges layout={layout} chosen={chosen} />
          {steps.map((step) => (
            <Node
              key={step.id}
              step={step}
              at={layout.nodes.get(step.name) ?? { x: 0, y: 0 }}
              isChosen={step.name === chosen}
              onChoose={() => onChoose(step.name)}
              onFocus={() => reveal(layout.nodes.get(step.name))}
            />
          ))}
        </div>
      </div>
      <Tools graph={graph} />
    </div>
  );
}

function Edges({ layout, chosen }: { layout: GraphLayout; chosen: string }) {
  return (
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
  );
}

function Tools({ graph: { zoom, fit } }: { graph: GraphView }) {
  return (
    <div className="step-graph__tools">
      <IconButton
        label="Zoom out"
        icon={<ZoomOut aria-hidden="true" />}
        size="small"
        onPress={() => zoom(1 / ZOOM_STEP)}
      />
      <IconButton
        label="Zoom in"
        icon={<ZoomIn aria-hidden="true" />}
        size="small"
        onPress={() => zoom(ZOOM_STEP)}
      />
      <IconButton label="Fit to window" icon={<Maximize aria-hidden="true" />} size="small" onPress={fit} />
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
  at: Point;
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
      title={`${step.name}: ${countsText(step.task_counts)}${step.waiting_reason === undefined ? '' : `. ${step.waiting_reason}`}`}
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
