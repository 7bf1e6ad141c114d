import { isAnswerLost } from './fetch-faults.ts';
import type { HttpAnswer, HttpFetch, HttpRequest } from './http-fetch.ts';

/**
 * Returns the addresses in a text: one address, or those of the nodes of a cluster separated by commas. Without trailing
 * slashes.
 */
export const serviceAddresses = (text: string): readonly string[] =>
  text
    .split(',')
    .map((address) => address.trim().replace(/\/+$/, ''))
    .filter((address) => address !== '');

/** Status of a node that cannot answer now: it has no owner, or is about to stop. */
const UNAVAILABLE = 503;
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const KEY_HEADER = 'idempotency-key';

/**
 * Returns a fetch that sends requests to the first address, and to the next one if it is unreachable or unavailable; later
 * requests begin at the address that has answered. A request that may have had an effect is sent again only if it reads, or
 * has an idempotency key. If no address answers, the result is that of the last one.
 */
export function failoverFetch(addresses: readonly string[], fetch: HttpFetch): HttpFetch {
  const [first = ''] = addresses;
  if (addresses.length < 2) return fetch;
  let current = 0;
  return async (url, request) => {
    const path = url.href.slice(new URL(first).href.replace(/\/$/, '').length);
    for (let left = addresses.length - 1; ; left--) {
      const at = current;
      const next = (): void => {
        // Another request may have gone on already.
        if (current === at) current = (at + 1) % addresses.length;
      };
      let answer: HttpAnswer;
      try {
        answer = await fetch(new URL(`${addresses[at] ?? first}${path}`), request);
      } catch (error) {
        request.signal?.throwIfAborted();
        next();
        if (left === 0 || (isAnswerLost(error) && !isRepeatable(request))) throw error;
        continue;
      }
      if (answer.status !== UNAVAILABLE) return answer;
      next();
      if (left === 0 || !isRepeatable(request)) return answer;
      await answer.body?.cancel();
    }
  };
}

/** Reports whether a second request has no second effect. */
const isRepeatable = ({ method, headers }: HttpRequest): boolean =>
  REPEATABLE.has(method) || Object.keys(headers).some((name) => name.toLowerCase() === KEY_HEADER);
