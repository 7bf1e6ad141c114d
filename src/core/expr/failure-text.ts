import type { ExprFailure } from './expr-failure.ts';

/** PLACEHOLDER until the syntax branch is merged. */
export function failureText(failure: ExprFailure, source: string): string {
  const { place, message } = failure;
  if (place === null) return message;
  const lineStart = source.lastIndexOf('\n', place.start - 1) + 1;
  const lineEnd = source.indexOf('\n', lineStart) === -1 ? source.length : source.indexOf('\n', lineStart);
  const line = source.slice(lineStart, lineEnd);
  let marks = ' '.repeat(place.start - lineStart);
  for (let i = place.start; i < Math.min(place.end, lineEnd); i++) marks += i === place.caret ? '^' : '~';
  return `${message}\n  ${line}\n  ${marks}`;
}
