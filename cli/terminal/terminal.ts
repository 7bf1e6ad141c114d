import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { CONTROL_CHARACTERS, showDirections } from '../../src/core/escaped-text.ts';

/** Output streams of a command and their capabilities. */
export interface Terminal {
  out(text: string): void;
  /** For progress and errors. */
  err(text: string): void;
  /** True if standard output is a terminal. */
  readonly isTerminal: boolean;
  /** True if standard error is a terminal. */
  readonly isErrorTerminal: boolean;
  /** Columns of standard output; null if nothing is cut: no terminal, no known width, or a wide table. */
  readonly columns: number | null;
  /** True if standard output shows colors. NO_COLOR, TERM=dumb and pipes disable them. */
  readonly colors: boolean;
  /** The same for standard error. */
  readonly errorColors: boolean;
  /** Asks a question on standard error and returns the line that the user enters; null if no user can answer. */
  readonly ask: ((question: string) => Promise<string>) | null;
  /** Size of standard error if its lines can be redrawn; null otherwise. May change at any time. */
  readonly repaint: { readonly columns: number; readonly rows: number } | null;
}

const COLUMNS_MIN = 20;
const ROWS_MIN = 3;

/** Returns the terminal of this process. `isWide`: tables have all their columns, and lines may be longer than it. */
export function processTerminal(isWide = false): Terminal {
  const { stdout, stderr, env } = process;
  const dumb = env['TERM'] === 'dumb';
  const plain = dumb || (env['NO_COLOR'] ?? '') !== '';
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    isTerminal: stdout.isTTY,
    isErrorTerminal: stderr.isTTY,
    columns: !isWide && stdout.isTTY && stdout.columns > 0 ? Math.max(stdout.columns, COLUMNS_MIN) : null,
    colors: stdout.isTTY && !plain,
    errorColors: stderr.isTTY && !plain,
    ask: process.stdin.isTTY && stderr.isTTY ? askUser : null,
    get repaint() {
      if (!stderr.isTTY || dumb || stderr.columns === 0) return null;
      return { columns: Math.max(stderr.columns, COLUMNS_MIN), rows: Math.max(stderr.rows, ROWS_MIN) };
    },
  };
}

/** Asks on standard error. An end of the input without an answer is an empty answer. */
async function askUser(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await Promise.race([lines.question(question), once(lines, 'close').then(() => '')]);
  } finally {
    lines.close();
  }
}

/**
 * Escapes foreign text for one line of a terminal: characters in it could move the cursor, change colors, reverse the
 * order of letters or imitate other output. Bidirectional controls are shown as their code, for example `\u202e`, because
 * names that differ only in them must differ on the screen.
 */
export const printable = (text: string): string =>
  showDirections(text.replaceAll(CONTROL_CHARACTERS, '\u{fffd}'));

/** Returns the first line of a text, escaped for a table cell. */
export function oneLine(text: string): string {
  const [first = '', ...others] = text.trimEnd().split('\n');
  return printable(others.length === 0 ? first : `${first.trimEnd()} …`);
}

/** Escapes text of several lines. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');

/** Formats a line of a list of facts, or several lines if the value has several; `width` is that of the names. */
export const formatField = (name: string, value: string, width: number): string =>
  `${name.padEnd(width)}${printableLines(value).replaceAll('\n', `\n${' '.repeat(width)}`)}\n`;

/** Color codes (SGR). */
const COLORS = { red: 31, green: 32, yellow: 33, cyan: 36, grey: 90 } as const;

type Color = keyof typeof COLORS;

/** Returns the text in a color, or unchanged if colors are off. */
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

/** Colors a status word, which may be padded. Uses the setting of standard output unless `colors` is given. */
export function coloredStatus(text: string, terminal: Terminal, colors = terminal.colors): string {
  const color = STATUS_COLORS.get(text.trim());
  return color === undefined ? text : painted(text, color, colors);
}
