import type { HttpAnswer } from './http-fetch.ts';
import type { PointedError, Problem } from './resources.ts';
import { retryAfterOf } from './retry-after.ts';

/** Length of the excerpt of a body that is not a problem document. */
const EXCERPT_CHARACTERS = 200;

/** Error response of a service: RFC 7807, as docs/rest.md describes it. */
export class ProblemError extends Error {
  /** HTTP status. */
  readonly status: number;
  readonly title: string;
  /** May be empty. */
  readonly detail: string;
  /** Errors in single parts of the request; may be empty. */
  readonly errors: readonly PointedError[];
  /** Identifies the request in the log of the service; empty if a proxy has answered. */
  readonly requestId: string;
  /** Time in milliseconds after which the request can be repeated; null if the response does not give it. */
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

/** The service did not answer, or not completely. */
export class ServiceUnreachable extends Error {
  /** True if the service may have processed the request although no response arrived. */
  readonly isAnswerLost: boolean;

  constructor(message: string, isAnswerLost: boolean, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ServiceUnreachable';
    this.isAnswerLost = isAnswerLost;
  }
}

/** The service or a proxy returned a success that is not JSON. */
export class UnreadableAnswer extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnreadableAnswer';
  }
}

/** Builds the error of a response. Relies on nothing in the body, because a proxy may have answered. */
export function problemOf(
  { status, headers }: Pick<HttpAnswer, 'status' | 'headers'>,
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
    return new ProblemError({ ...about, title: `the server answered ${status}`, detail, errors: [] });
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
