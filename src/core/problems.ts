import type { PointedError } from '../openjd/primitives/pointed-error.ts';

/**
 * Catalog of problems (docs/contract/errors.md): every error that a client can receive is one of these, with a detail.
 * The body is RFC 7807.
 */
export const PROBLEMS = {
  'bad-request': { status: 400, title: 'Bad Request' },
  unauthorized: { status: 401, title: 'Unauthorized' },
  forbidden: { status: 403, title: 'Forbidden' },
  'not-found': { status: 404, title: 'Not Found' },
  'method-not-allowed': { status: 405, title: 'Method Not Allowed' },
  conflict: { status: 409, title: 'Conflict' },
  'precondition-failed': { status: 412, title: 'Precondition Failed' },
  'too-large': { status: 413, title: 'Content Too Large' },
  'unsupported-media-type': { status: 415, title: 'Unsupported Media Type' },
  misdirected: { status: 421, title: 'Misdirected Request' },
  'upgrade-required': { status: 426, title: 'Upgrade Required' },
  unprocessable: { status: 422, title: 'Unprocessable Content' },
  'too-many-requests': { status: 429, title: 'Too Many Requests' },
  'head-too-large': { status: 431, title: 'Request Header Fields Too Large' },
  internal: { status: 500, title: 'Internal Server Error' },
  unavailable: { status: 503, title: 'Service Unavailable' },
  'version-not-supported': { status: 505, title: 'HTTP Version Not Supported' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemKind = keyof typeof PROBLEMS;

/**
 * Returns the text of errors for the detail of a problem: `<JSON pointer>: <message>`, joined with semicolons
 * (docs/contract/openjd.md#validation-errors). The pointer of the whole document is empty.
 */
export const textOfErrors = (errors: readonly PointedError[]): string =>
  errors.map((error) => `${error.pointer}: ${error.detail}`).join('; ');

export interface Problem {
  readonly kind: ProblemKind;
  readonly detail: string;
  readonly errors?: readonly PointedError[];
}

/** Reply of an actor to a client's request. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: Problem };

export const done = <T>(value: T): Outcome<T> => ({ ok: true, value });

export const refused = (kind: ProblemKind, detail: string): Outcome<never> => ({
  ok: false,
  problem: { kind, detail },
});
