import pino from 'pino';
import { note, type DiagnosticLevel, type DiagnosticNote } from '../../src/core/diagnostics/record.ts';

export type Logger = pino.Logger;

export interface LogSettings {
  readonly format: 'json' | 'text';
  readonly level: 'debug' | 'info' | 'warn' | 'error';
}

const STDERR = 2;
/** Lines are kept up to this many bytes while they cannot be written; those that come then are lost. */
const UNWRITTEN_BYTES_MAX = 4 * 2 ** 20;

/**
 * The log of a daemon: lines on standard error, JSON or plain text (docs/contract/limits.md#logging). What is logged is
 * told to `heard` too.
 */
export function createLogger(
  settings: LogSettings,
  component: string,
  heard: (note: DiagnosticNote) => void = () => undefined,
): Logger {
  const options: pino.LoggerOptions = {
    level: settings.level,
    base: { component },
    timestamp: pino.stdTimeFunctions.isoTime,
    hooks: {
      logMethod(args, method, level) {
        const [first, second] = args as readonly unknown[];
        const hasAttributes = typeof first === 'object' && first !== null;
        const attributes = hasAttributes ? textsOf(first) : {};
        heard(note(levelOf(level), textOf(hasAttributes ? second : first), attributes));
        method.apply(this, args);
      },
    },
    formatters: { level: (label) => ({ level: label.toUpperCase() }) },
  };
  const destination = openDestination();
  if (settings.format === 'json') return pino(options, destination);
  return pino(options, {
    write: (line: string) => {
      destination.write(textLine(line));
    },
  });
}

/**
 * Standard error. A line that cannot be written (a full disk, a terminal that is gone) never ends the process: it is tried again with the next, and
 * lost when too much waits.
 */
function openDestination(): ReturnType<typeof pino.destination> {
  const destination = pino.destination({ fd: STDERR, sync: true, maxLength: UNWRITTEN_BYTES_MAX });
  // Swallowed: the only place to tell of it is the one that fails, and the farm must not stop for want of its log.
  destination.on('error', () => undefined);
  // Once so much waits, lines are dropped without a write: an empty one makes it try again, or it would never recover.
  destination.on('drop', () => {
    destination.write('');
  });
  return destination;
}

const LEVELS: Readonly<Record<string, DiagnosticLevel>> = { debug: 'DEBUG', info: 'INFO', warn: 'WARN' };

/** Whatever is graver than a warning is an error. */
const levelOf = (level: number): DiagnosticLevel => LEVELS[pino.levels.labels[level] ?? ''] ?? 'ERROR';

const textOf = (message: unknown): string => (typeof message === 'string' ? message : '');

/** Attributes as the diagnostics have them: texts. */
function textsOf(attributes: object): Record<string, string> {
  const texts = Object.entries(attributes).map(([name, value]: [string, unknown]): [string, string] => [
    name,
    typeof value === 'string'
      ? value
      : value instanceof Error
        ? (value.stack ?? value.message)
        : (JSON.stringify(value) ?? ''),
  ]);
  return Object.fromEntries(texts);
}

/** `2026-01-01T00:00:00.000Z WARN server: message key=value` */
function textLine(json: string): string {
  const { time, level, component, msg, ...attributes } = JSON.parse(json) as Record<string, unknown>;
  const values = Object.entries(attributes).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
  return `${String(time)} ${String(level)} ${String(component)}: ${String(msg)}${values.join('')}\n`;
}
