/** From the place of a scroll bar to a place in the log, and back: browsers have no element as high as a log of millions of lines. */

/** Height of a row, in pixels; log-view.css has the same. */
export const ROW_HEIGHT = 18;

/** Firefox ends at some 17.8 million pixels, Chromium at 33.5 million. */
export const HEIGHT_MAX = 15_000_000;

export interface ScrollRange {
  /** Rows of the whole log. */
  readonly rows: number;
  /** Height of what is seen, in pixels. */
  readonly viewport: number;
}

/** Height of the element that is scrolled. */
export const scrolledHeight = ({ rows }: ScrollRange): number => Math.min(rows * ROW_HEIGHT, HEIGHT_MAX);

/** Pixels of the log for a pixel of the scroll bar. */
function scale(range: ScrollRange): number {
  const whole = range.rows * ROW_HEIGHT - range.viewport;
  const scrolled = scrolledHeight(range) - range.viewport;
  return scrolled <= 0 ? 1 : whole / scrolled;
}

/** Where in the log, in pixels from its start, the view begins. */
export const logTop = (scrollTop: number, range: ScrollRange): number =>
  Math.max(0, scrollTop) * scale(range);

/** Where the scroll bar stands for a view that begins so many pixels from the start of the log. */
export function scrollTopFor(top: number, range: ScrollRange): number {
  const last = Math.max(0, range.rows * ROW_HEIGHT - range.viewport);
  return Math.max(0, Math.min(top, last)) / scale(range);
}
