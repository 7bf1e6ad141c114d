import {
  PROBLEMS,
  textOfErrors,
  type PointedError,
  type Problem,
  type ProblemKind,
} from '../src/core/problems.ts';
import type { Header, HttpResponse } from './pipeline/message.ts';

/** A problem as RFC 7807 has it on the wire (interface.md, "Errors"). `requestId` goes into `instance`. */
export function problemResponse(
  problem: Problem,
  requestId: string,
  headers: readonly Header[] = [],
  close = false,
): HttpResponse {
  const { status, title } = PROBLEMS[problem.kind];
  const body = {
    type: 'about:blank',
    title,
    status,
    detail: problem.detail,
    instance: requestId,
    ...(problem.errors && problem.errors.length > 0 && { errors: problem.errors }),
  };
  return {
    status,
    headers: [['Content-Type', 'application/problem+json'], ...headers],
    body: JSON.stringify(body),
    close,
  };
}

/** A problem whose detail lists what is wrong as `<JSON pointer>: <message>`, joined with semicolons. */
export function pointedProblem(kind: ProblemKind, errors: readonly PointedError[]): Problem {
  return { kind, detail: textOfErrors(errors), errors };
}

/** One part of a JSON pointer (RFC 6901). */
export const escapePointer = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');
