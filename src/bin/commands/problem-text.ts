import type { PointedError, Problem } from './resources.ts';

/** The body of a problem (RFC 7807) when it came from the service; something in between may have answered anything. */
type Claimed<T> = { readonly [Field in keyof T]?: unknown };

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));

function pointedLine({ pointer, detail, line, column }: Claimed<PointedError>): string {
  const place =
    typeof line === 'number' ? ` (line ${line}, column ${typeof column === 'number' ? column : 1})` : '';
  // An empty pointer means the whole document.
  const where = pointer === '' || pointer === undefined ? '' : `${textOf(pointer)}: `;
  const [message = '', ...source] = textOf(detail).split('\n');
  return [`  ${where}${message}${place}`, ...source.map((text) => `  ${text}`)].join('\n');
}

/** A problem body as lines: the title with its detail, or with a line for each pointed error. */
export function problemText(status: number, body: string): string {
  const problem = problemIn(body);
  if (problem === null) return `the service answered ${status}: ${body.slice(0, 200)}`;
  const title = typeof problem.title === 'string' ? problem.title : `status ${status}`;
  const errors = Array.isArray(problem.errors) ? problem.errors.filter(isObject) : [];
  if (errors.length > 0) return [`${title}:`, ...errors.map(pointedLine)].join('\n');
  return typeof problem.detail === 'string' && problem.detail !== '' ? `${title}: ${problem.detail}` : title;
}

function problemIn(body: string): Claimed<Problem> | null {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
