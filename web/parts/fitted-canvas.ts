export interface FittedCanvas {
  /** One unit of it is a CSS pixel. */
  readonly context: CanvasRenderingContext2D;
  /** Of the box, in CSS pixels. */
  readonly width: number;
  readonly height: number;
}

/** Makes a canvas as sharp as the screen and as large as what is seen of the box around it; null as long as either is not there. */
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
