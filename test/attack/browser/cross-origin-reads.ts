import type { AttackReport } from '../attack.ts';
import { OWN_HOST, runAttempts, type Attempt, type Site } from './attempts.ts';
import { hostileOrigins } from './hostile-origins.ts';
import { exchange, headerOf, rawRequest, type RawAnswer, type RawHeaders } from './raw-http.ts';

/** Requests that a page can read only with permission. The last one is a preflight. */
const READS: readonly (readonly [method: string, path: string, headers: RawHeaders])[] = [
  ['GET', '/api/v1/farms', []],
  ['GET', '/api/v1/nothing', []],
  ['GET', '/metrics', []],
  [
    'OPTIONS',
    '/api/v1/farms',
    [
      ['Access-Control-Request-Method', 'POST'],
      ['Access-Control-Request-Headers', 'content-type'],
    ],
  ],
];

/**
 * T5: pages of other origins that read answers, for a service that lists one origin. Only that origin may be reflected;
 * `*` and `null` never, and credentials only for the listed origin while authentication is on.
 */
export const runCrossOriginReads = (site: Site, count: number): Promise<AttackReport> =>
  runAttempts(crossOriginReads(site), count);

function crossOriginReads(site: Site): readonly Attempt[] {
  const cookie: RawHeaders = site.session === null ? [] : [['Cookie', site.session]];
  const attempts: Attempt[] = [];
  for (const [method, path, extra] of READS) {
    const attempt = (name: string, headers: RawHeaders, check: Attempt['check']): void => {
      const host: RawHeaders = [
        ['Host', `${OWN_HOST}:${site.port}`],
        ['Connection', 'close'],
      ];
      attempts.push({
        name: `${method} ${path} with ${name}`,
        send: () => exchange(site.port, rawRequest(method, path, [...host, ...headers, ...cookie, ...extra])),
        check,
      });
    };
    for (const [name, values] of hostileOrigins(site))
      attempt(
        name,
        values.map((value) => ['Origin', value] as const),
        (answer) => reflection(answer, null, false),
      );
    attempt('no origin', [], (answer) => reflection(answer, null, false));
    attempt('the listed origin', [['Origin', site.listed]], (answer) =>
      reflection(answer, site.listed, site.session !== null),
    );
  }
  return attempts;
}

/** Returns what is wrong with the CORS headers of an answer, or null. */
function reflection(
  answer: RawAnswer | null,
  allowed: string | null,
  hasCredentials: boolean,
): string | null {
  if (answer === null) return 'got no answer';
  const origin = headerOf(answer.head, 'access-control-allow-origin') ?? null;
  if (origin !== allowed) return `Access-Control-Allow-Origin is ${String(origin)}, not ${String(allowed)}`;
  const credentials = headerOf(answer.head, 'access-control-allow-credentials') ?? null;
  if (credentials !== (hasCredentials ? 'true' : null))
    return `Access-Control-Allow-Credentials is ${String(credentials)}`;
  const methods = headerOf(answer.head, 'access-control-allow-methods');
  if (allowed === null && methods !== undefined) return `Access-Control-Allow-Methods is ${methods}`;
  return /^vary:.*\borigin\b/im.test(answer.head) ? null : 'Vary does not contain Origin';
}
