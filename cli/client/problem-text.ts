import type { ProblemError } from '../../client/problem.ts';
import type { PointedError } from '../../client/resources.ts';

/** Formats an error with its place in the request. */
export function pointedLine({ pointer, detail, line, column }: PointedError): string {
  const place = line === undefined ? '' : ` (line ${line}, column ${column ?? 1})`;
  // An empty pointer refers to the whole document.
  const where = pointer === '' ? '' : `${pointer}: `;
  const [message = '', ...source] = detail.split('\n');
  return [`  ${where}${message}${place}`, ...source.map((text) => `  ${text}`)].join('\n');
}

/** Formats a problem as lines: the title with its detail, or with one line per error. */
export function problemText({ title, message, errors }: ProblemError): string {
  return errors.length > 0 ? [`${title}:`, ...errors.map(pointedLine)].join('\n') : message;
}
