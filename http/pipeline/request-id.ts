import type { Header } from './message.ts';
import { headerValues } from './message.ts';

const SAFE_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the id of a request: the client's own if it is safe in headers and logs, else a new one. */
export function requestIdOf(headers: readonly Header[], newId: () => string): string {
  const given = headerValues(headers, 'x-request-id');
  const first = given[0];
  return first !== undefined && given.length === 1 && SAFE_ID.test(first) ? first : newId();
}
