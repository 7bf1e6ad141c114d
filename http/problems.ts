import { PROBLEMS, textOfErrors, type Problem, type ProblemKind } from '../src/core/problems.ts';
import type { PointedError } from '../src/openjd/primitives/pointed-error.ts';
import type { Header, HttpResponse } from './pipeline/message.ts';

/** Returns a problem as an RFC 7807 response (docs/contract/errors.md). `requestId` becomes `instance`. */
export function problemResponse(
  problem: Problem,
  requestId: string,
  headers: readonly Header[] = [],
  close = false,
): HttpResponse {
  const { errors, ...body } = problemBody(problem);
  return {
    status: body.status,
    headers: [['Content-Type', 'application/problem+json'], ...headers],
    body: JSON.stringify({ ...body, instance: requestId, ...(errors !== undefined && { errors }) }),
    close,
    problemDetail: problem.detail,
  };
}

/** Members of a problem that do not depend on the request. */
export interface ProblemBody {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly errors?: readonly PointedError[];
}

export function problemBody({ kind, detail, errors = [] }: Problem): ProblemBody {
  const { status, title } = PROBLEMS[kind];
  return { type: 'about:blank', title, status, detail, ...(errors.length > 0 && { errors }) };
}

/** Returns a problem whose detail lists errors as `<JSON pointer>: <message>`, joined with semicolons. */
export function pointedProblem(kind: ProblemKind, errors: readonly PointedError[]): Problem {
  return { kind, detail: textOfErrors(errors), errors };
}
