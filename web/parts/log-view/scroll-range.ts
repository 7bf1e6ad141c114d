/** Maps between the scroll bar and positions in the log, because browsers limit the height of an element. */

/** Height of a row in pixels, as in log-view.css. */
export const ROW_HEIGHT = 18;

/** Firefox supports about 17.8 million pixels, Chromium 33.5 million. */
export const HEIGHT_MAX = 15_000_000;

export interface ScrollRange {
  /** Number of rows of the whole log. */
  readonly rows: number;
  /** Height of the view in pixels. */
  readonly viewport: number;
}

/** Returns the height of the scrolled element. */
export const scrolledHeight = ({ rows }: ScrollRange): number => Math.min(rows * ROW_HEIGHT, HEIGHT_MAX);

/** Returns the pixels of the log per pixel of the scroll bar. */
function scale(range: ScrollRange): number {
  const whole = range.rows * ROW_HEIGHT - range.viewport;
  const scrolled = scrolledHeight(range) - range.viewport;
  return scrolled <= 0 ? 1 : whole / scrolled;
}

/** Returns the position of the view in pixels from the start of the log. */
export const logTop = (scrollTop: number, range: ScrollRange): number =>
  Math.max(0, scrollTop) * scale(range);

/** Returns the position of the scroll bar for a view that starts `top` pixels from the start of the log. */
export function scrollTopFor(top: number, range: ScrollRange): number {
  const last = Math.max(0, range.rows * ROW_HEIGHT - range.viewport);
  return Math.max(0, Math.min(top, last)) / scale(range);
}
