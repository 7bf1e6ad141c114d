import type { LogStream } from './log-chunk.ts';

/** Longer lines are split at this number of characters, as if each part were a line. */
export const LINE_CHARACTERS_MAX = 262_144;

/** Position in the log of an attempt: the lines that are complete before it, and the beginnings of the next ones. */
export interface LinePosition {
  /** Number of complete lines. */
  readonly lines: number;
  /** Characters of the line of each stream that has no line feed yet. */
  readonly open: Readonly<Record<LogStream, number>>;
}

export const LOG_START: LinePosition = { lines: 0, open: { stdout: 0, stderr: 0 } };

/** Position at which the chunks after a `bus_seq` begin. */
export interface LineMark extends LinePosition {
  readonly afterBusSeq: number;
}

/** Stored position at the end of an attempt's log. */
export interface LogLinesRecord extends LinePosition {
  readonly version: 1;
  /** Of the last counted chunk. */
  readonly busSeq: number;
  /** Characters since the last mark. */
  readonly unmarked: number;
  /** Complete lines before the last mark; -1 before the first mark. */
  readonly markedLines: number;
  /** False if a chunk was stored before counted ones, or before lines were counted: then the marks are not valid. */
  readonly isExact: boolean;
}

/** Returns the position after a chunk of one stream. Lines are counted in the order in which they are completed. */
export function positionAfter(position: LinePosition, stream: LogStream, data: string): LinePosition {
  const end = data.lastIndexOf('\n') + 1;
  let { lines } = position;
  for (let at = data.indexOf('\n'); at !== -1; at = data.indexOf('\n', at + 1)) lines++;
  const open = (end > 0 ? 0 : position.open[stream]) + data.length - end;
  const split = Math.max(0, Math.ceil(open / LINE_CHARACTERS_MAX) - 1);
  return {
    lines: lines + split,
    open: { ...position.open, [stream]: open - split * LINE_CHARACTERS_MAX },
  };
}
