export interface FittedCanvas {
  /** Scaled so that one unit is a CSS pixel. */
  readonly context: CanvasRenderingContext2D;
  /** Size of the box in CSS pixels. */
  readonly width: number;
  readonly height: number;
}

/**
 * Sizes a canvas to the visible part of the box around it, at the resolution of the screen. Returns null while either
 * is missing.
 */
export function fittedCanvas(
  element: HTMLCanvasElement | null,
  box: HTMLElement | null,
): FittedCanvas | null {
  const context = element?.getContext('2d') ?? null;
  if (element === null || box === null || context === null) return null;
  const ratio = window.devicePixelRatio;
  const seen = { width: box.clientWidth, height: box.clientHeight };
  const pixels = { width: Math.round(seen.width * ratio), height: Math.round(seen.height * ratio) };
  if (element.width !== pixels.width || element.height !== pixels.height) {
    element.width = pixels.width;
    element.height = pixels.height;
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { context, ...seen };
}
