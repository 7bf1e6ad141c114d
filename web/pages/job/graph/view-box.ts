/** How a drawing is moved and scaled in its window: screen = drawing * scale + offset. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

const SCALE_MIN = 0.15;
const SCALE_MAX = 2;

/** All of the drawing in the middle of the window, never larger than it is. */
export function fitted(drawing: Size, window: Size): View {
  const fits = Math.min(
    window.width / Math.max(1, drawing.width),
    window.height / Math.max(1, drawing.height),
  );
  const scale = Math.min(1, Math.max(SCALE_MIN, fits));
  return {
    scale,
    x: (window.width - drawing.width * scale) / 2,
    y: (window.height - drawing.height * scale) / 2,
  };
}

/** Scaled around a point of the window, which stays where it is. */
export function zoomed(view: View, factor: number, at: { readonly x: number; readonly y: number }): View {
  const scale = Math.min(SCALE_MAX, Math.max(SCALE_MIN, view.scale * factor));
  const grown = scale / view.scale;
  return { scale, x: at.x - (at.x - view.x) * grown, y: at.y - (at.y - view.y) * grown };
}

export const panned = (view: View, dx: number, dy: number): View => ({
  ...view,
  x: view.x + dx,
  y: view.y + dy,
});
