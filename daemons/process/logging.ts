import pino from 'pino';
import { CONTROL_CHARACTERS, DIRECTION_CHARACTERS, escapeMatches } from '../../src/core/escaped-text.ts';
import { WarningLimiter } from '../../src/core/diagnostics/warning-limiter.ts';
import { note, type DiagnosticLevel, type DiagnosticNote } from '../../src/core/diagnostics/record.ts';

export type Logger = pino.Logger;

export interface LogSettings {
  readonly format: 'json' | 'text';
  readonly level: 'debug' | 'info' | 'warn' | 'error';
}

const STDERR = 2;
/** Maximum size of lines that wait to be written. Further lines are dropped. */
const UNWRITTEN_BYTES_MAX = 4 * 2 ** 20;

/**
 * Creates the log of a daemon: lines on standard error, JSON or plain text (docs/contract/limits.md#logging). `onRecord`
 * receives every record too.
 */
export function createLogger(
  settings: LogSettings,
  component: string,
  onRecord: (note: DiagnosticNote) => void = () => undefined,
): Logger {
  const limiter = new WarningLimiter();
  const options: pino.LoggerOptions = {
    level: settings.level,
    base: { component },
    timestamp: pino.stdTimeFunctions.isoTime,
    hooks: {
      logMethod(args, method, level) {
        const [first, second] = args as readonly unknown[];
        const hasAttributes = typeof first === 'object' && first !== null;
        const text = textOf(hasAttributes ? second : first);
        const isLimited = levelOf(level) === 'WARN' && text !== DROPPED_TEXT;
        if (isLimited && !limiter.admit(text, performance.now())) return;
        onRecord(note(levelOf(level), text, hasAttributes ? textsOf(first) : {}));
        method.apply(this, args);
      },
    },
    formatters: { level: (label) => ({ level: label.toUpperCase() }) },
  };
  const destination = openDestination();
  const logger =
    settings.format === 'json'
      ? pino(options, destination)
      : pino(options, {
          write: (line: string) => {
            destination.write(textLine(line));
          },
        });
  reportDropped(limiter, logger);
  return logger;
}

const DROPPED_CHECK_MS = 1000;
const DROPPED_TEXT = 'warnings of one kind were not logged';

/** Logs how many warnings the limiter has dropped, periodically and at the end of the process. */
function reportDropped(limiter: WarningLimiter, logger: Logger): void {
  const report = (all: boolean): void => {
    for (const { text, dropped, windowMs } of limiter.takeDropped(performance.now(), { all })) {
      const seconds = String(Math.ceil(windowMs / 1000));
      logger.warn({ dropped: String(dropped), seconds, warning: text }, DROPPED_TEXT);
    }
  };
  setInterval(() => report(false), DROPPED_CHECK_MS).unref();
  process.once('exit', () => report(true));
}

/**
 * Opens standard error. A line that cannot be written (full disk, closed terminal) never ends the process. It is
 * retried with the next line, and dropped when too many bytes wait.
 */
function openDestination(): ReturnType<typeof pino.destination> {
  const destination = pino.destination({ fd: STDERR, sync: true, maxLength: UNWRITTEN_BYTES_MAX });
  // Ignored: it could only be reported to the log that fails, and the farm must not stop for lack of a log.
  destination.on('error', () => undefined);
  // With a full buffer, lines are dropped without a write. An empty write makes it retry; otherwise it would never
  // recover.
  destination.on('drop', () => {
    destination.write('');
  });
  return destination;
}

const LEVELS: Readonly<Record<string, DiagnosticLevel>> = { debug: 'DEBUG', info: 'INFO', warn: 'WARN' };

/** Returns the diagnostic level. Every level above a warning is an error. */
const levelOf = (level: number): DiagnosticLevel => LEVELS[pino.levels.labels[level] ?? ''] ?? 'ERROR';

const textOf = (message: unknown): string => (typeof message === 'string' ? message : '');

/** Returns the attributes as texts, as diagnostics store them. */
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

/** Escapes text of clients and workers, which could otherwise imitate lines of the log or change the terminal. */
const escaped = (text: string): string =>
  escapeMatches(escapeMatches(text, CONTROL_CHARACTERS), DIRECTION_CHARACTERS);

/** `2026-01-01T00:00:00.000Z WARN server: message key=value` */
function textLine(json: string): string {
  const { time, level, component, msg, ...attributes } = JSON.parse(json) as Record<string, unknown>;
  const values = Object.entries(attributes).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
  return `${escaped(`${String(time)} ${String(level)} ${String(component)}: ${String(msg)}${values.join('')}`)}\n`;
}
