/** The used part of dagre. Its own declarations import without extensions, which the resolution of Node.js does not find. */
declare module '@dagrejs/dagre' {
  export interface Placed {
    readonly x?: number;
    readonly y?: number;
    readonly width?: number;
    readonly height?: number;
  }

  export class Graph {
    setGraph(label: {
      readonly rankdir: 'LR' | 'TB';
      readonly nodesep: number;
      readonly ranksep: number;
      readonly marginx: number;
      readonly marginy: number;
    }): this;
    setDefaultEdgeLabel(make: () => object): this;
    setNode(name: string, size: { readonly width: number; readonly height: number }): this;
    setEdge(from: string, to: string): this;
    graph(): Placed;
    node(name: string): Placed;
    edges(): readonly { readonly v: string; readonly w: string }[];
    edge(
      from: string,
      to: string,
    ): { readonly points?: readonly { readonly x: number; readonly y: number }[] };
  }

  export function layout(graph: Graph): void;
}
