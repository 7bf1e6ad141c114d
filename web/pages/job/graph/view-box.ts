/** Position and scale of a drawing in its window: screen = drawing * scale + offset. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

const MIN_SCALE = 0.15;
const MAX_SCALE = 2;

/** Returns the view with the whole drawing in the center of the window, scaled down if it does not fit. */
export function fitted(drawing: Size, window: Size): View {
  const fits = Math.min(
    window.width / Math.max(1, drawing.width),
    window.height / Math.max(1, drawing.height),
  );
  const scale = Math.min(1, Math.max(MIN_SCALE, fits));
  return {
    scale,
    x: (window.width - drawing.width * scale) / 2,
    y: (window.height - drawing.height * scale) / 2,
  };
}

/** Returns the view scaled around a point of the window. The scale is limited. */
export function zoomed(view: View, factor: number, at: { readonly x: number; readonly y: number }): View {
  const scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, view.scale * factor));
  const change = scale / view.scale;
  return { scale, x: at.x - (at.x - view.x) * change, y: at.y - (at.y - view.y) * change };
}

export const panned = (view: View, dx: number, dy: number): View => ({
  ...view,
  x: view.x + dx,
  y: view.y + dy,
});
