import type { AttackReport } from '../attack.ts';
import { hasOtherStatus, hasStatus, OWN_HOST, runAttempts, type Attempt, type Site } from './attempts.ts';
import { hostileOrigins, hostileReferers, type Values } from './hostile-origins.ts';
import { exchange, rawRequest, type RawHeaders } from './raw-http.ts';

const UNKNOWN = '01920000-0000-7000-8000-000000000000';

/** Requests that change something. Their bodies are invalid, so that an accepted one changes nothing. */
const WRITES: readonly (readonly [method: string, path: string])[] = [
  ['POST', '/api/v1/farms'],
  ['POST', `/api/v1/jobs/${UNKNOWN}/cancel`],
  ['PUT', `/api/v1/farms/${UNKNOWN}`],
  ['PATCH', `/api/v1/jobs/${UNKNOWN}`],
  ['DELETE', `/api/v1/farms/${UNKNOWN}`],
];

/** `Content-Type` and body that a page can send without a preflight, and that of a script. */
const BODIES: readonly (readonly [type: string, body: string])[] = [
  ['application/json', '{}'],
  ['text/plain', '{}'],
  ['application/x-www-form-urlencoded', 'name=evil'],
];

const named = (name: string, values: Values): RawHeaders => values.map((value) => [name, value] as const);

/**
 * T4: writes of pages in a browser. While authentication is off (`site.session` is null), a request without `Origin` and
 * `Referer` comes from a program and is allowed; with the session cookie it is not.
 */
export const runCrossSiteWrites = (site: Site, count: number): Promise<AttackReport> =>
  runAttempts(crossSiteWrites(site), count);

function crossSiteWrites(site: Site): readonly Attempt[] {
  const own = `http://${OWN_HOST}:${site.port}`;
  const friendly: readonly (readonly [string, RawHeaders])[] = [
    ['the own origin', [['Origin', own]]],
    ['the listed origin', [['Origin', site.listed]]],
    ['the public origin', [['Origin', site.publicUrl]]],
    [
      'the own origin, with the Referer of another page',
      [
        ['Origin', own],
        ['Referer', 'https://evil.example/'],
      ],
    ],
    ['the own Referer', [['Referer', `${own}/jobs?x=1`]]],
    ['the own origin as the Referer', [['Referer', own]]],
    ['the listed Referer', [['Referer', `${site.listed}/tools`]]],
  ];
  const hostile: (readonly [string, RawHeaders])[] = [];
  for (const [name, values] of hostileOrigins(site)) {
    const headers = named('Origin', values);
    hostile.push([name, headers], [`${name}, with the own Referer`, [...headers, ['Referer', `${own}/`]]]);
  }
  for (const [name, values] of hostileReferers(site))
    hostile.push([`Referer: ${name}`, named('Referer', values)]);
  if (site.session !== null) hostile.push(['neither Origin nor Referer', []]);
  const programs: readonly (readonly [string, RawHeaders])[] =
    site.session === null ? [['neither Origin nor Referer', []]] : [];

  const attempts: Attempt[] = [];
  for (const [at, [name, headers]] of [...hostile, ...friendly, ...programs].entries()) {
    const isHostile = at < hostile.length;
    for (const [index, [method, path]] of WRITES.entries()) {
      const body = BODIES[(at + index) % BODIES.length] ?? ['', ''];
      attempts.push({
        name: `${method} ${path} with ${name}`,
        send: () => exchange(site.port, writeOf(site, method, path, headers, body)),
        check: isHostile ? hasStatus(403) : hasOtherStatus(403, 421),
      });
    }
  }
  return attempts;
}

function writeOf(
  site: Site,
  method: string,
  path: string,
  headers: RawHeaders,
  [type, body]: readonly [string, string],
): string {
  const cookie: RawHeaders = site.session === null ? [] : [['Cookie', `theme=dark; ${site.session}`]];
  const common: RawHeaders = [
    ['Host', `${OWN_HOST}:${site.port}`],
    ['Connection', 'close'],
    ['Content-Type', type],
  ];
  return rawRequest(method, path, [...common, ...cookie, ...headers], body);
}
