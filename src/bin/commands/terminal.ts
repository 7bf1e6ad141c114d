/** Where a command writes, and what that place can show. */
export interface Terminal {
  out(text: string): void;
  /** For progress and complaints. */
  err(text: string): void;
  /** Columns of standard output, or null when it is no terminal: then nothing is cut. */
  readonly columns: number | null;
  /** Whether standard output shows colours (NO_COLOR, TERM=dumb and pipes say no). */
  readonly colors: boolean;
  /** Columns of standard error when a line of it can be painted again; null otherwise. */
  readonly repaintColumns: number | null;
}

const COLUMNS_MIN = 20;

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  const dumb = env['TERM'] === 'dumb';
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    columns: stdout.isTTY ? Math.max(stdout.columns, COLUMNS_MIN) : null,
    colors: stdout.isTTY && !dumb && (env['NO_COLOR'] ?? '') === '',
    repaintColumns: stderr.isTTY && !dumb ? Math.max(stderr.columns, COLUMNS_MIN) : null,
  };
}

/** Text of others on one line of a terminal: control characters could move the cursor or change its colours. */
export const printable = (text: string): string =>
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '\u{fffd}');

const RED = 31;
const GREEN = 32;
const YELLOW = 33;
const CYAN = 36;
const GREY = 90;

const STATUS_COLORS: ReadonlyMap<string, number> = new Map([
  ['completed', GREEN],
  ['succeeded', GREEN],
  ['online', GREEN],
  ['running', CYAN],
  ['assigned', CYAN],
  ['ready', CYAN],
  ['failed', RED],
  ['offline', RED],
  ['paused', YELLOW],
  ['blocked', YELLOW],
  ['disabled', YELLOW],
  ['canceled', GREY],
  ['pending', GREY],
]);

/** A status word (perhaps padded) in its colour. */
export function coloredStatus(text: string, terminal: Terminal): string {
  const color = STATUS_COLORS.get(text.trim());
  return color === undefined || !terminal.colors ? text : `\u001b[${color}m${text}\u001b[39m`;
}
