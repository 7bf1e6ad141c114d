import { fittingZoom } from '../model/grid-layout.ts';

/** Part of the window that a grid fills if it fits. */
const HEIGHT_SHARE = 0.5;
const MIN_HEIGHT = 220;

/** Returns the zoom of a grid of `count` cells: the chosen one, or the largest that fits for null. `width` in pixels. */
export function effectiveZoom(zoom: number | null, count: number, width: number): number {
  return zoom ?? fittingZoom(count, width, Math.max(MIN_HEIGHT, window.innerHeight * HEIGHT_SHARE));
}
