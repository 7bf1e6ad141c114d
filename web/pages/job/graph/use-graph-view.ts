import { useEffect, useRef, useState, type PointerEvent, type RefObject } from 'react';
import { NODE_HEIGHT, NODE_WIDTH, type GraphLayout, type Point } from './step-layout.ts';
import { fitted, panned, zoomed, type Size, type View } from './view-box.ts';

const MAX_HEIGHT = 420;
const MIN_HEIGHT = 140;
/** Wheel distance that doubles the scale, in pixels. */
const WHEEL_DOUBLE = 400;
/** Smallest distance of a focused node to the edge of the window, in pixels. */
const MARGIN = 8;

export interface GraphView {
  readonly frame: RefObject<HTMLDivElement | null>;
  readonly view: View;
  /** Height of the window in pixels. */
  readonly height: number;
  readonly isDragging: boolean;
  /** Scales the drawing around the center of the window. */
  readonly zoom: (factor: number) => void;
  readonly fit: () => void;
  /** Moves a node into the window; does nothing if it is visible. */
  readonly reveal: (corner: Point | undefined) => void;
  readonly handlers: {
    readonly onPointerDown: (event: PointerEvent<HTMLDivElement>) => void;
    readonly onPointerMove: (event: PointerEvent<HTMLDivElement>) => void;
    readonly onPointerUp: () => void;
    readonly onPointerCancel: () => void;
  };
}

/** Holds the position and scale of a graph: dragging moves it, the wheel with Ctrl scales it. */
export function useGraphView(layout: GraphLayout): GraphView {
  const frame = useRef<HTMLDivElement>(null);
  /** Null for the view that fits the window. */
  const [moved, setMoved] = useState<View | null>(null);
  const [grip, setGrip] = useState<Point | null>(null);
  const size = useFrame(frame, layout, setMoved);
  const height = Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT, layout.height));
  const width = size?.width ?? layout.width;
  const view = moved ?? fitted(layout, { width, height });
  return {
    frame,
    view,
    height,
    isDragging: grip !== null,
    zoom: (factor) => setMoved(zoomed(view, factor, { x: width / 2, y: height / 2 })),
    fit: () => setMoved(null),
    reveal: (corner) => setMoved((before) => revealed(before ?? view, corner, size)),
    handlers: {
      onPointerDown: (event) => {
        if (event.button !== 0 || !(event.target instanceof Element) || event.target.closest('button, a'))
          return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setGrip({ x: event.clientX, y: event.clientY });
      },
      onPointerMove: (event) => {
        if (grip === null) return;
        setMoved(panned(view, event.clientX - grip.x, event.clientY - grip.y));
        setGrip({ x: event.clientX, y: event.clientY });
      },
      onPointerUp: () => setGrip(null),
      onPointerCancel: () => setGrip(null),
    },
  };
}

/** Returns the size of the window, null until it is known, and scales the drawing with the wheel. */
function useFrame(
  frame: RefObject<HTMLDivElement | null>,
  layout: GraphLayout,
  setMoved: (change: (before: View | null) => View) => void,
): Size | null {
  const [size, setSize] = useState<Size | null>(null);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const sizeNow = (): Size => ({ width: element.clientWidth, height: element.clientHeight });
    const watcher = new ResizeObserver(() => setSize(sizeNow()));
    watcher.observe(element);
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const rect = element.getBoundingClientRect();
      const at = { x: event.clientX - rect.left, y: event.clientY - rect.top };
      setMoved((before) =>
        zoomed(before ?? fitted(layout, sizeNow()), 2 ** (-event.deltaY / WHEEL_DOUBLE), at),
      );
    };
    // Wheel listeners of React are passive, so they cannot keep the browser from zooming the page.
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => {
      watcher.disconnect();
      element.removeEventListener('wheel', onWheel);
    };
  }, [frame, layout, setMoved]);
  return size;
}

/** Returns the view with the node in the window, or the same object if the node is visible. */
function revealed(view: View, corner: Point | undefined, size: Size | null): View {
  if (corner === undefined || size === null) return view;
  const left = corner.x * view.scale + view.x;
  const top = corner.y * view.scale + view.y;
  const dx = offsetInto(left, left + NODE_WIDTH * view.scale, size.width);
  const dy = offsetInto(top, top + NODE_HEIGHT * view.scale, size.height);
  return dx === 0 && dy === 0 ? view : panned(view, dx, dy);
}

function offsetInto(from: number, to: number, length: number): number {
  if (from < MARGIN) return MARGIN - from;
  return to > length - MARGIN ? length - MARGIN - to : 0;
}
