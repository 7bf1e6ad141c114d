import type { AttackReport } from '../attack.ts';
import { hasStatus, OWN_HOST, runAttempts, type Attempt, type Site } from './attempts.ts';
import { exchange, rawRequest, type RawAnswer } from './raw-http.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

/** Labels whose values are ids by contract (docs/metrics.md): those of queues and their farms. */
const ID_LABELS = /\b(?:queue|farm)="[^"]*"/g;

/**
 * T35: what a service without `http.enable_pprof` shows to every client. `secrets` are texts that it must not show: ids
 * of jobs, tasks, workers and users, keys, passwords.
 */
export const runExposure = (site: Site, count: number, secrets: readonly string[]): Promise<AttackReport> =>
  runAttempts([...publicPages(site, secrets), ...profiles(site)], count);

function profiles(site: Site): readonly Attempt[] {
  const paths = [
    '/debug/pprof',
    '/debug/pprof/',
    '/debug/pprof/profile?thread=front',
    '/debug/pprof/heap?thread=front',
    '/debug/pprof/cmdline',
    '/debug/pprof/symbol',
    '/debug/pprof/trace',
    '/debug',
    '/debug/vars',
    '/debug//pprof/',
    '/Debug/Pprof/',
    '/%64ebug/pprof/',
    '/api/v1/debug/pprof/',
    '/api/v1/metrics',
    '/api/v1/../../debug/pprof/',
  ];
  return paths.map((path) => ({
    name: `GET ${path}`,
    send: () => get(site, path),
    check: hasStatus(404, 400, 401),
  }));
}

function publicPages(site: Site, secrets: readonly string[]): readonly Attempt[] {
  return ['/metrics', '/healthz', '/readyz', '/api/v1/openapi.yaml', '/api/v1/auth/providers'].map(
    (path) => ({
      name: `GET ${path}`,
      send: () => get(site, path),
      check: (answer) => {
        const wrong = hasStatus(200)(answer);
        if (wrong !== null || answer === null) return wrong;
        const shown = secrets.filter((secret) => answer.body.includes(secret));
        if (shown.length > 0) return `shows ${shown.length} secrets`;
        const ids = path === '/metrics' ? (answer.body.replaceAll(ID_LABELS, '').match(UUID) ?? []) : [];
        return ids.length === 0 ? null : `shows the id ${ids[0] ?? ''}`;
      },
    }),
  );
}

const get = (site: Site, path: string): Promise<RawAnswer | null> =>
  exchange(
    site.port,
    rawRequest('GET', path, [
      ['Host', `${OWN_HOST}:${site.port}`],
      ['Connection', 'close'],
      ['Accept-Encoding', 'identity'],
    ]),
  );
