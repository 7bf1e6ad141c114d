import { Maximize, ZoomIn, ZoomOut } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../../../parts/button.tsx';
import { classNames } from '../../../parts/class-names.ts';
import { pathThrough, type GraphLayout, type Point } from './step-layout.ts';
import { useGraphView, type GraphView } from './use-graph-view.ts';
import './step-graph.css';

const ZOOM_STEP = 1.25;

/** Draws one node of a graph. */
export interface NodePlace {
  readonly at: Point;
  /** Moves the node into the window; for nodes that get the focus. */
  readonly reveal: () => void;
}

/** A graph that can be moved and scaled. Edges of the `chosen` node are highlighted. */
export function GraphFrame({
  label,
  layout,
  chosen,
  children,
}: {
  label: string;
  layout: GraphLayout;
  chosen: string;
  /** Draws the nodes; `placeOf` returns the place of a node by its name. */
  children: (placeOf: (name: string) => NodePlace) => ReactNode;
}) {
  const graph = useGraphView(layout);
  const { frame, view, height, isDragging, reveal, handlers } = graph;
  return (
    <div className="step-graph" role="group" aria-label={label}>
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
          {children((name) => ({
            at: layout.nodes.get(name) ?? { x: 0, y: 0 },
            reveal: () => reveal(layout.nodes.get(name)),
          }))}
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
