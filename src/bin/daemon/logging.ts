import pino from 'pino';

export type Logger = pino.Logger;

export interface LogSettings {
  readonly format: 'json' | 'text';
  readonly level: 'debug' | 'info' | 'warn' | 'error';
}

const STDERR = 2;

/** The log of a daemon: lines on standard error, JSON or plain text (interface.md, "Limits", Logging). */
export function createLogger(settings: LogSettings, component: string): Logger {
  const options: pino.LoggerOptions = {
    level: settings.level,
    base: { component },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label.toUpperCase() }) },
  };
  const destination = pino.destination({ fd: STDERR, sync: true });
  if (settings.format === 'json') return pino(options, destination);
  return pino(options, {
    write: (line: string) => {
      destination.write(textLine(line));
    },
  });
}

/** `2026-01-01T00:00:00.000Z WARN server: message key=value` */
function textLine(json: string): string {
  const { time, level, component, msg, ...attributes } = JSON.parse(json) as Record<string, unknown>;
  const values = Object.entries(attributes).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
  return `${String(time)} ${String(level)} ${String(component)}: ${String(msg)}${values.join('')}\n`;
}
