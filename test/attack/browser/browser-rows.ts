import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADMIN } from '../../kit/auth-service.ts';
import { freePort, startService } from '../../kit/daemons.ts';
import type { AttackReport, AttackRow } from '../attack.ts';
import { withAuthService } from '../with-service.ts';
import type { Site } from './attempts.ts';
import { BROWSER_ATTACKS } from './browser-attacks.ts';
import { runExposure } from './exposure.ts';
import { runForgedAddresses, runForgedTargets } from './forwarded-headers.ts';

const LISTED = 'https://pipeline.example';
const PUBLIC = 'https://farm.example';
const FLAGS = [`--http-cors-origins=${LISTED}`, `--http-public-url=${PUBLIC}`];

/** Part of T16 that forges addresses; the rest forges schemes and hosts. */
const ADDRESSES_PART = 0.375;
const LIMIT = { rps: 2, burst: 5 };

/** Attacks of pages in a browser and through headers of proxies, on services with and without authentication. */
export const browserRows: readonly AttackRow[] = [
  ...BROWSER_ATTACKS.map(({ row, title, count, run }) => ({
    id: row,
    title,
    full: count,
    run: (attempts: number) => onBoth((site) => run(site, attempts)),
  })),
  {
    id: 'T16',
    title: 'forged headers of proxies',
    full: 400,
    run: async (count) => {
      const addresses = Math.round(count * ADDRESSES_PART);
      const limit = [`--http-rate-limit-rps=${LIMIT.rps}`, `--http-rate-limit-burst=${LIMIT.burst}`];
      return sumOf([
        await onBoth((site) => runForgedTargets(site, count - addresses)),
        await withOpenService([...limit, '--http-rate-limit-enabled=true'], (site) =>
          runForgedAddresses(site, addresses, LIMIT),
        ),
      ]);
    },
  },
  {
    id: 'T35',
    title: 'profiles, metrics and other public pages',
    full: 20,
    run: (count) => onBoth((site) => runExposure(site, count, secretsOf(site))),
  },
];

const secretsOf = ({ session, apiKey }: Site): readonly string[] =>
  session === null || apiKey === null ? [] : [ADMIN.password, apiKey, session.split('=')[1] ?? ''];

/** Attacks a service with authentication and one without. */
const onBoth = async (attack: (site: Site) => Promise<AttackReport>): Promise<AttackReport> =>
  sumOf([
    await withAuthService(
      async (auth) => {
        const { cookie: session = '' } = await auth.signIn(ADMIN.username, ADMIN.password);
        const { secret: apiKey } = await auth.apiKey({ cookie: session });
        return attack({ port: auth.service.httpPort, listed: LISTED, publicUrl: PUBLIC, session, apiKey });
      },
      { flags: FLAGS },
    ),
    await withOpenService([], attack),
  ]);

/** Starts a service without authentication, calls `use`, and stops it. */
async function withOpenService(
  flags: readonly string[],
  use: (site: Site) => Promise<AttackReport>,
): Promise<AttackReport> {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-attack-'));
  try {
    const [httpPort, busPort] = [await freePort(), await freePort()];
    const service = await startService({ folder, httpPort, busPort, flags: [...FLAGS, ...flags] });
    try {
      return await use({ port: httpPort, listed: LISTED, publicUrl: PUBLIC, session: null, apiKey: null });
    } finally {
      await service.daemon.kill('SIGTERM');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const sumOf = (reports: readonly AttackReport[]): AttackReport => ({
  tried: reports.reduce((sum, { tried }) => sum + tried, 0),
  violations: reports.flatMap(({ violations }) => violations),
});
