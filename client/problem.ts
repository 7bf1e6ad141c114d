import type { PointedError, Problem } from './resources.ts';
import { retryAfterOf } from './retry-after.ts';

/** Of a body that is no problem, so many characters are shown. */
const EXCERPT_CHARACTERS = 200;

/** What a service has answered in place of what was asked for: RFC 7807, as docs/rest.md describes it. */
export class ProblemError extends Error {
  /** HTTP status. */
  readonly status: number;
  readonly title: string;
  /** May be empty. */
  readonly detail: string;
  /** Single parts of the request that are wrong; may be empty. */
  readonly errors: readonly PointedError[];
  /** Under which the log of the service says more; empty when something in between has answered. */
  readonly requestId: string;
  /** When the service wants to be asked again, in milliseconds from its answer; null when it does not say. */
  readonly retryAfterMs: number | null;

  constructor(told: Omit<ProblemError, keyof Error>) {
    super(told.detail === '' ? told.title : `${told.title}: ${told.detail}`);
    this.name = 'ProblemError';
    this.status = told.status;
    this.title = told.title;
    this.detail = told.detail;
    this.errors = told.errors;
    this.requestId = told.requestId;
    this.retryAfterMs = told.retryAfterMs;
  }
}

/** The service has not answered, or not to the end. */
export class ServiceUnreachable extends Error {
  /** Whether the service may have done what was asked, though its answer did not arrive. */
  readonly isAnswerLost: boolean;

  constructor(message: string, isAnswerLost: boolean, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ServiceUnreachable';
    this.isAnswerLost = isAnswerLost;
  }
}

/** The service, or something in between, has answered with success what is no JSON. */
export class UnreadableAnswer extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnreadableAnswer';
  }
}

/** The problem that a refusing answer tells of. Something in between may have answered anything: nothing of the body is relied on. */
export function problemOf(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: string,
): ProblemError {
  const problem = objectIn(body);
  const about = {
    status,
    requestId: headers.get('x-request-id') ?? textOf(problem?.instance),
    retryAfterMs: retryAfterOf({ headers }),
  };
  if (problem === null) {
    const detail = body.slice(0, EXCERPT_CHARACTERS);
    return new ProblemError({ ...about, title: `the service answered ${status}`, detail, errors: [] });
  }
  const errors = Array.isArray(problem.errors) ? problem.errors.filter(isObject).map(pointedError) : [];
  const title = textOf(problem.title);
  return new ProblemError({
    ...about,
    title: title === '' ? `status ${status}` : title,
    detail: textOf(problem.detail),
    errors,
  });
}

type Claimed<T> = { readonly [Field in keyof T]?: unknown };

function pointedError({ pointer, detail, line, column }: Claimed<PointedError>): PointedError {
  return {
    pointer: anyTextOf(pointer),
    detail: anyTextOf(detail),
    ...(typeof line === 'number' && { line }),
    ...(typeof column === 'number' && { column }),
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const anyTextOf = (value: unknown): string =>
  typeof value === 'string' || value === undefined ? textOf(value) : JSON.stringify(value);

function objectIn(body: string): Claimed<Problem> | null {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
