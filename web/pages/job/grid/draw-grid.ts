import { showDirections } from '../../../../src/core/escaped-text.ts';
import { contrastColor } from '../../../parts/canvas-colors.ts';
import {
  GRID_STATUSES,
  statusStyle,
  type CellStatus,
  type ProgressPart,
} from '../../../parts/status-looks.ts';
import type { FrameScale } from '../model/frames.ts';
import { cornerOf, type GridLayout } from '../model/grid-layout.ts';
import type { IndexRange } from '../model/index-ranges.ts';

/** The custom properties with the colors of a grid. */
export const GRID_COLORS = [
  ...new Set(Object.values(GRID_STATUSES).map((status) => `--state-${status}`)),
  '--text',
  '--text-muted',
  '--accent',
  '--bg-raised',
];

export interface GridPicture {
  readonly layout: GridLayout;
  readonly cells: string;
  readonly scale: FrameScale;
  readonly selected: readonly IndexRange[];
  /** Statuses to highlight; cells of other statuses are faded. Empty for none. */
  readonly picked: readonly ProgressPart[];
  readonly colors: Readonly<Record<string, string>>;
  readonly font: string;
  /** The visible part, in pixels. */
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const MIN_LETTER_SIZE = 15;
const MIN_MARK_SIZE = 7;
const FADED = 0.16;

/** Draws the visible rows of a grid. */
export function drawGrid(context: CanvasRenderingContext2D, picture: GridPicture): void {
  const { layout, cells, top, width, height } = picture;
  context.clearRect(0, 0, width, height);
  context.save();
  context.translate(0, -top);
  const firstRow = Math.max(0, Math.floor(top / layout.pitch));
  const lastRow = Math.min(layout.rows - 1, Math.floor((top + height) / layout.pitch));
  drawRowNames(context, picture, firstRow, lastRow);
  const last = Math.min(layout.count, (lastRow + 1) * layout.columns);
  for (let index = firstRow * layout.columns; index < last; index += 1)
    drawCell(context, picture, index, GRID_STATUSES[cells[index] ?? ''] ?? 'pending');
  drawSelection(context, picture, firstRow * layout.columns, last - 1);
  context.restore();
}

function drawCell(
  context: CanvasRenderingContext2D,
  { layout, picked, colors, font }: GridPicture,
  index: number,
  status: CellStatus,
): void {
  const { x, y } = cornerOf(layout, index);
  const { size } = layout;
  context.globalAlpha =
    picked.length === 0 || picked.includes(status === 'skipped' ? 'succeeded' : status) ? 1 : FADED;
  context.fillStyle = colors[`--state-${status}`] ?? '';
  context.fillRect(x, y, size, size);
  if (size >= MIN_LETTER_SIZE) {
    context.fillStyle = contrastColor(colors[`--state-${status}`] ?? '');
    context.font = `600 ${Math.round(size * 0.56)}px ${font}`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.fillText(statusStyle('task', status).letter, x + size / 2, y + size / 2 + 0.5);
  } else if (size >= MIN_MARK_SIZE && status === 'failed') {
    drawCross(context, x, y, size);
  }
  context.globalAlpha = 1;
}

/** Draws a line around each selected run, which can span several rows. */
function drawSelection(
  context: CanvasRenderingContext2D,
  { layout, selected, colors }: GridPicture,
  from: number,
  to: number,
): void {
  const { columns, pitch, size } = layout;
  const gap = (pitch - size) / 2;
  context.strokeStyle = colors['--text'] ?? '';
  context.lineWidth = 2;
  context.beginPath();
  const line = (x: number, y: number, toX: number, toY: number): void => {
    context.moveTo(x, Math.max(1, y));
    context.lineTo(toX, Math.max(1, toY));
  };
  for (const run of selected) {
    let first = Math.max(run.first, from);
    const last = Math.min(run.last, to);
    while (first <= last) {
      const rowEnd = Math.min(last, first - (first % columns) + columns - 1);
      const corner = cornerOf(layout, first);
      const [left, top] = [corner.x - gap, corner.y - gap];
      const [right, bottom] = [left + (rowEnd - first + 1) * pitch, top + pitch];
      // There is no line between two rows of the same run.
      const topEnd = left + Math.max(0, Math.min(rowEnd, run.first + columns - 1) - first + 1) * pitch;
      const bottomStart = right - Math.max(0, rowEnd - Math.max(first, run.last - columns + 1) + 1) * pitch;
      if (topEnd > left) line(left, top, topEnd, top);
      if (bottomStart < right) line(bottomStart, bottom, right, bottom);
      line(left, top, left, bottom);
      line(right, top, right, bottom);
      first = rowEnd + 1;
    }
  }
  context.stroke();
}

/** Marks a failure with a cross, so that it is not distinguished by color alone. */
function drawCross(context: CanvasRenderingContext2D, x: number, y: number, size: number): void {
  const inset = size * 0.25;
  context.strokeStyle = '#ffffff';
  context.lineWidth = Math.max(1, size / 9);
  context.beginPath();
  context.moveTo(x + inset, y + inset);
  context.lineTo(x + size - inset, y + size - inset);
  context.moveTo(x + size - inset, y + inset);
  context.lineTo(x + inset, y + size - inset);
  context.stroke();
}

/** Draws the names of the first tasks of rows. Leaves out rows if the rows are too close together. */
function drawRowNames(
  context: CanvasRenderingContext2D,
  { layout, scale, colors, font }: GridPicture,
  firstRow: number,
  lastRow: number,
): void {
  const every = Math.max(1, Math.ceil(14 / layout.pitch));
  context.fillStyle = colors['--text-muted'] ?? '';
  context.font = `11px ${font}`;
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  for (let row = firstRow - (firstRow % every); row <= lastRow; row += every) {
    const label = showDirections(scale.labelAt(row * layout.columns));
    const shown = label.length > 9 ? `${label.slice(0, 8)}…` : label;
    context.fillText(shown, layout.gutter - 8, row * layout.pitch + Math.max(layout.size / 2, 6));
  }
}
