import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import type { Site } from '../attack/attack.ts';
import { attemptsOf, BROWSER_ATTACKS } from '../attack/browser-attacks.ts';
import { runExposure } from '../attack/exposure.ts';
import { freePort, startService, type RunningService } from '../kit/daemons.ts';

const LISTED = 'https://pipeline.example';
const PUBLIC = 'https://farm.example';
const PASSWORD = 'correct horse battery staple';

/** Starts a service with authentication. */
async function startUnderAttack(t: Test): Promise<RunningService> {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-attacks-'));
  const file = join(folder, 'password');
  await writeFile(file, `${PASSWORD}\n`);
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: [
      `--http-cors-origins=${LISTED}`,
      `--http-public-url=${PUBLIC}`,
      '--auth-enabled',
      '--auth-bootstrap-username=admin',
      `--auth-bootstrap-password-file=${file}`,
    ],
  });
  t.teardown(async () => {
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(service.daemon.log().slice(-6000));
  });
  return service;
}

/** Signs in as the first administrator and creates an API key. */
async function signIn(service: RunningService): Promise<Pick<Site, 'session' | 'apiKey'>> {
  const { url } = service.api;
  const json = { 'content-type': 'application/json' };
  const login = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ username: 'admin', password: PASSWORD }),
  });
  const session = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const created = await fetch(`${url}/api/v1/api-keys`, {
    method: 'POST',
    headers: { ...json, cookie: session, origin: url },
    body: JSON.stringify({ name: 'attacks' }),
  });
  const key: unknown = await created.json();
  const secret = Object.values(typeof key === 'object' && key !== null ? key : {}).find(
    (value): value is string => typeof value === 'string' && value.startsWith('svc_') && value.length > 20,
  );
  if (secret === undefined)
    throw new Error(`no API key: ${login.status} ${created.status} ${JSON.stringify(key)}`);
  return { session, apiKey: secret };
}

await test('pages of other origins attack a service with authentication', { timeout: 120_000 }, async (t) => {
  const service = await startUnderAttack(t);
  const credentials = await signIn(service);
  const site: Site = { port: service.httpPort, listed: LISTED, publicUrl: PUBLIC, ...credentials };
  const farms = async (): Promise<string> =>
    (await fetch(`${service.api.url}/api/v1/farms`, { headers: { cookie: site.session ?? '' } })).text();
  const before = await farms();
  for (const { row, count, run } of BROWSER_ATTACKS) {
    const { tried, violations } = await run(site, attemptsOf(count));
    t.equal(tried, attemptsOf(count), row);
    t.strictSame(violations, [], row);
  }
  const secrets = [PASSWORD, site.apiKey ?? '', site.session?.split('=')[1] ?? ''];
  t.strictSame((await runExposure(site, 20, secrets)).violations, [], 'T35');
  t.equal(await farms(), before, 'nothing has changed');
  t.notMatch(service.daemon.log(), PASSWORD);
});
