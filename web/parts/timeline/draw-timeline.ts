import { showDirections } from '../../../src/core/escaped-text.ts';
import { contrastColor } from '../canvas-colors.ts';
import { statusStyle } from '../status-looks.ts';
import { tickForm, ticksOf, type TimeView } from './time-view.ts';
import { endOf, firstAfter, type TimelineItem, type TimelineModel } from './timeline-model.ts';

export const AXIS_HEIGHT = 24;
export const ROW_HEIGHT = 18;
const BAR_HEIGHT = 12;
const TICK_ROOM = 84;
const WIDTH_MIN = 1.5;
/** Minimum width of a bar that shows its name, in pixels. */
const NAME_ROOM = 40;
const PADDING = 4;

const STATUSES = ['assigned', 'running', 'succeeded', 'failed', 'canceled'] as const;

/** Custom properties of the colors of a timeline. */
export const TIMELINE_COLORS = [
  ...STATUSES.map((status) => `--state-${status}`),
  '--state-pending',
  '--text',
  '--text-muted',
  '--border',
  '--bg-raised',
];

export interface TimelinePicture {
  readonly model: TimelineModel;
  readonly view: TimeView;
  readonly now: number;
  readonly colors: Readonly<Record<string, string>>;
  readonly font: string;
  /** Width of the column with lane names. */
  readonly gutter: number;
  /** Vertical scroll position. */
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly isUtc: boolean;
  readonly marked: TimelineItem | null;
  readonly timeText: (time: number, form: 'day' | 'minute' | 'second') => string;
}

/** Returns the offset of local time to UTC at a time, or 0 in UTC. */
const offsetAt = (time: number, isUtc: boolean): number =>
  isUtc ? 0 : -new Date(time).getTimezoneOffset() * 60_000;

/** Draws the visible part of a timeline. */
export function drawTimeline(context: CanvasRenderingContext2D, picture: TimelinePicture): void {
  const { width, height, gutter, colors, font } = picture;
  context.clearRect(0, 0, width, height);
  context.textBaseline = 'middle';
  context.font = `12px ${font}`;
  context.save();
  context.beginPath();
  context.rect(gutter, 0, width - gutter, height);
  context.clip();
  drawTicks(context, picture);
  context.beginPath();
  context.rect(gutter, AXIS_HEIGHT, width - gutter, height - AXIS_HEIGHT);
  context.clip();
  drawBars(context, picture);
  context.restore();
  context.save();
  context.beginPath();
  context.rect(0, AXIS_HEIGHT, width, height - AXIS_HEIGHT);
  context.clip();
  drawLanes(context, picture);
  context.restore();
  context.fillStyle = colors['--border'] ?? '';
  context.fillRect(0, AXIS_HEIGHT - 1, width, 1);
  context.fillRect(gutter - 1, 0, 1, height);
}

function drawTicks(
  context: CanvasRenderingContext2D,
  { view, gutter, width, height, colors, timeText, isUtc }: TimelinePicture,
): void {
  const { step, times } = ticksOf(view, (width - gutter) / TICK_ROOM, offsetAt(view.from, isUtc));
  const form = tickForm(step);
  context.textAlign = 'left';
  for (const time of times) {
    const x = Math.round(xOf(time, view, gutter, width));
    context.fillStyle = colors['--border'] ?? '';
    context.fillRect(x, 0, 1, height);
    context.fillStyle = colors['--text-muted'] ?? '';
    context.fillText(timeText(time, form), x + PADDING, AXIS_HEIGHT / 2);
  }
}

const xOf = (time: number, { from, to }: TimeView, gutter: number, width: number): number =>
  gutter + ((time - from) / (to - from)) * (width - gutter);

export const timeAt = (x: number, { from, to }: TimeView, gutter: number, width: number): number =>
  from + ((x - gutter) / Math.max(1, width - gutter)) * (to - from);

const yOf = (row: number, top: number): number => AXIS_HEIGHT + row * ROW_HEIGHT - top;

function drawBars(context: CanvasRenderingContext2D, picture: TimelinePicture): void {
  const { model, view, now, top, height, marked } = picture;
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT));
  const last = Math.min(model.rows.length - 1, Math.floor((top + height - AXIS_HEIGHT) / ROW_HEIGHT));
  for (let index = first; index <= last; index += 1) {
    const row = model.rows[index] ?? [];
    const y = yOf(index, top) + (ROW_HEIGHT - BAR_HEIGHT) / 2;
    for (let place = firstAfter(row, view.from, now); place < row.length; place += 1) {
      const item = row[place];
      if (item === undefined || item.from > view.to) break;
      drawBar(context, picture, item, y, item === marked);
    }
  }
}

function drawBar(
  context: CanvasRenderingContext2D,
  { view, now, gutter, width, colors }: TimelinePicture,
  item: TimelineItem,
  y: number,
  isMarked: boolean,
): void {
  const left = Math.max(gutter - PADDING, xOf(item.from, view, gutter, width));
  const right = Math.min(width + PADDING, xOf(endOf(item, now), view, gutter, width));
  const wide = Math.max(WIDTH_MIN, right - left);
  const look = statusStyle('task', item.status);
  context.fillStyle = colors[`--state-${look.color}`] ?? colors['--state-pending'] ?? '';
  // A thin gap between neighbors, if there is room.
  context.fillRect(left, y, wide > 4 ? wide - 1 : wide, BAR_HEIGHT);
  if (item.status === 'failed' && wide >= 3) {
    // Marks failures by more than color.
    context.fillStyle = colors['--text'] ?? '';
    context.fillRect(left, y + BAR_HEIGHT - 3, wide > 4 ? wide - 1 : wide, 3);
  }
  if (isMarked) {
    context.strokeStyle = colors['--text'] ?? '';
    context.lineWidth = 2;
    context.strokeRect(left - 1, y - 1, wide + 1, BAR_HEIGHT + 2);
  }
  if (wide < NAME_ROOM) return;
  context.save();
  context.beginPath();
  context.rect(left, y, wide - PADDING, BAR_HEIGHT);
  context.clip();
  context.fillStyle = contrastColor(colors[`--state-${look.color}`] ?? '');
  context.textAlign = 'left';
  context.fillText(showDirections(item.name), left + PADDING, y + BAR_HEIGHT / 2 + 0.5);
  context.restore();
}

function drawLanes(context: CanvasRenderingContext2D, picture: TimelinePicture): void {
  const { model, top, width, height, gutter, colors } = picture;
  context.textAlign = 'left';
  for (const { label, firstRow, rows } of model.lanes) {
    const y = yOf(firstRow, top);
    const bottom = y + rows * ROW_HEIGHT;
    if (bottom < AXIS_HEIGHT) continue;
    if (y > height) break;
    context.fillStyle = colors['--border'] ?? '';
    context.fillRect(0, Math.round(bottom) - 1, width, 1);
    context.save();
    context.beginPath();
    context.rect(0, y, gutter - PADDING, rows * ROW_HEIGHT);
    context.clip();
    context.fillStyle = colors['--text'] ?? '';
    // The name stays visible while any row of its lane is.
    const line = Math.min(Math.max(y, AXIS_HEIGHT), bottom - ROW_HEIGHT);
    context.fillText(showDirections(label), PADDING, line + ROW_HEIGHT / 2);
    context.restore();
  }
}
