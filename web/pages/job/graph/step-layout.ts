// The linter also reads this file with the configuration of the tests, which does not include the declarations.
// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="./dagre.d.ts" />
import { Graph, layout } from '@dagrejs/dagre';

export const NODE_WIDTH = 208;
export const NODE_HEIGHT = 74;

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  /** The upper left corner of each node by name. */
  readonly nodes: ReadonlyMap<string, Point>;
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly points: readonly Point[];
  }[];
}

/** A node of a graph: a step by its name, or a job by its id. All of `depends_on` are nodes of the graph. */
export interface GraphNode {
  readonly name: string;
  readonly depends_on?: readonly string[];
}

/** Arranges the nodes from left to right, each to the right of its dependencies. */
export function layoutOfSteps(steps: readonly GraphNode[]): GraphLayout {
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 18, ranksep: 56, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { name } of steps) graph.setNode(name, { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const { name, depends_on: upstream = [] } of steps)
    for (const before of upstream) graph.setEdge(before, name);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    nodes: new Map(
      steps.map(({ name }) => {
        const { x = 0, y = 0 } = graph.node(name);
        return [name, { x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 }];
      }),
    ),
    edges: graph
      .edges()
      .map(({ v: from, w: to }) => ({ from, to, points: graph.edge(from, to).points ?? [] })),
  };
}

/** Returns a smooth line through the points as the `d` attribute of an SVG path. */
export function pathThrough(points: readonly Point[]): string {
  const [first, ...others] = points;
  if (first === undefined) return '';
  let path = `M${first.x},${first.y}`;
  let before = first;
  for (const point of others) {
    const middle = (before.x + point.x) / 2;
    path += ` C${middle},${before.y} ${middle},${point.y} ${point.x},${point.y}`;
    before = point;
  }
  return path;
}
