/** Where a command writes, and what that place can show. */
export interface Terminal {
  out(text: string): void;
  /** For progress and complaints. */
  err(text: string): void;
  /** Columns of standard output, or null when it is no terminal: then nothing is cut. */
  readonly columns: number | null;
  /** Whether standard output shows colours (NO_COLOR, TERM=dumb and pipes say no). */
  readonly colors: boolean;
  /** The same of standard error. */
  readonly errorColors: boolean;
  /** Size of standard error when lines of it can be painted again; null otherwise. May change meanwhile. */
  readonly repaint: { readonly columns: number; readonly rows: number } | null;
}

const COLUMNS_MIN = 20;
const ROWS_MIN = 3;

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  const dumb = env['TERM'] === 'dumb';
  const plain = dumb || (env['NO_COLOR'] ?? '') !== '';
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    columns: stdout.isTTY ? Math.max(stdout.columns, COLUMNS_MIN) : null,
    colors: stdout.isTTY && !plain,
    errorColors: stderr.isTTY && !plain,
    get repaint() {
      if (!stderr.isTTY || dumb) return null;
      return { columns: Math.max(stderr.columns, COLUMNS_MIN), rows: Math.max(stderr.rows, ROWS_MIN) };
    },
  };
}

/** Control characters, line separators, and what turns the direction of writing. */
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Text of others on one line of a terminal, where it could move the cursor, change colours or read as something else. */
export const printable = (text: string): string => text.replaceAll(UNPRINTABLE, '\u{fffd}');

/** The first of several lines, as text that fits a cell. */
export function oneLine(text: string): string {
  const [first = '', ...others] = text.trimEnd().split('\n');
  return printable(others.length === 0 ? first : `${first.trimEnd()} …`);
}

/** The same of several lines. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');

/** A line of a list of facts, and more where the value has more lines; `width` is that of the names. */
export const formatField = (name: string, value: string, width: number): string =>
  `${name.padEnd(width)}${printableLines(value).replaceAll('\n', `\n${' '.repeat(width)}`)}\n`;

/** Codes of the colours (SGR). */
const COLORS = { red: 31, green: 32, yellow: 33, cyan: 36, grey: 90 } as const;

type Color = keyof typeof COLORS;

/** The text in a colour, or as it is where there are none. */
export const painted = (text: string, color: Color, colors: boolean): string =>
  colors ? `\u001b[${COLORS[color]}m${text}\u001b[39m` : text;

const STATUS_COLORS: ReadonlyMap<string, Color> = new Map([
  ['completed', 'green'],
  ['succeeded', 'green'],
  ['online', 'green'],
  ['running', 'cyan'],
  ['assigned', 'cyan'],
  ['ready', 'cyan'],
  ['failed', 'red'],
  ['offline', 'red'],
  ['paused', 'yellow'],
  ['blocked', 'yellow'],
  ['disabled', 'yellow'],
  ['canceled', 'grey'],
  ['pending', 'grey'],
]);

/** A status word (perhaps padded) in its colour, on standard output unless `colors` says of another place. */
export function coloredStatus(text: string, terminal: Terminal, colors = terminal.colors): string {
  const color = STATUS_COLORS.get(text.trim());
  return color === undefined ? text : painted(text, color, colors);
}
