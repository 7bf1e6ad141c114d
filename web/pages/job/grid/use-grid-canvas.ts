import { useEffect, useEffectEvent, useRef, useState, type RefObject } from 'react';
import { resolvedColors, useSchemeName } from '../../../parts/canvas-colors.ts';
import { fittedCanvas } from '../../../parts/fitted-canvas.ts';
import type { ProgressPart } from '../../../parts/status-looks.ts';
import type { FrameScale } from '../model/frames.ts';
import { layoutOf, ZOOMS, type GridLayout } from '../model/grid-layout.ts';
import type { IndexRange } from '../model/index-ranges.ts';
import { drawGrid, GRID_COLORS } from './draw-grid.ts';
import { effectiveZoom } from './effective-zoom.ts';

const INITIAL_WIDTH = 800;

export interface GridCanvas {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  readonly layout: GridLayout;
  /** Width of the scroller in pixels. */
  readonly width: number;
}

/** Draws the visible rows of a grid after each change, scroll and resize. */
export function useGridCanvas(options: {
  readonly cells: string;
  readonly scale: FrameScale;
  readonly picked: readonly ProgressPart[];
  readonly zoom: number | null;
  /** The same array as long as the selection does not change. */
  readonly selected: readonly IndexRange[];
}): GridCanvas {
  const { cells, scale, picked, zoom, selected } = options;
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [{ width, height }, setSize] = useState({ width: INITIAL_WIDTH, height: 0 });
  const scheme = useSchemeName();
  const pitch = ZOOMS[effectiveZoom(zoom, cells.length, width)] ?? ZOOMS[0];
  const layout = layoutOf(cells.length, width, pitch);

  const draw = useEffectEvent(() => {
    const box = scroller.current;
    const fitted = fittedCanvas(canvas.current, box);
    if (fitted === null || box === null) return;
    const { context, ...size } = fitted;
    drawGrid(context, {
      layout,
      cells,
      scale,
      picked,
      selected,
      colors: resolvedColors(scheme, GRID_COLORS),
      font: getComputedStyle(box).fontFamily,
      top: box.scrollTop,
      ...size,
    });
  });

  useEffect(() => {
    const box = scroller.current;
    if (box === null) return undefined;
    let frame = 0;
    const drawInNextFrame = (): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => draw());
    };
    const watcher = new ResizeObserver(() => {
      setSize({ width: box.clientWidth, height: box.clientHeight });
      drawInNextFrame();
    });
    watcher.observe(box);
    box.addEventListener('scroll', drawInNextFrame, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      watcher.disconnect();
      box.removeEventListener('scroll', drawInNextFrame);
    };
  }, []);
  useEffect(() => {
    const frame = requestAnimationFrame(() => draw());
    return () => cancelAnimationFrame(frame);
  }, [cells, scale, picked, selected, scheme, width, height, pitch]);
  return { scroller, canvas, layout, width };
}
