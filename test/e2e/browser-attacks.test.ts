import { test } from 'tap';
import type { Site } from '../attack/browser/attempts.ts';
import { BROWSER_ATTACKS, shortForm } from '../attack/browser/browser-attacks.ts';
import { runExposure } from '../attack/browser/exposure.ts';
import { runForgedTargets } from '../attack/browser/forwarded-headers.ts';
import { ADMIN, startAuthService } from '../kit/auth-service.ts';

const LISTED = 'https://pipeline.example';
const PUBLIC = 'https://farm.example';

test('pages of other origins attack a service with authentication', async (t) => {
  const origins = [`--http-cors-origins=*,${LISTED}`, `--http-public-url=${PUBLIC}`];
  const auth = await startAuthService(t.testdir(), { flags: origins });
  const { service } = auth;
  t.teardown(() => service.daemon.kill('SIGTERM'));
  const { cookie: session = '' } = await auth.signIn(ADMIN.username, ADMIN.password);
  const { secret: apiKey } = await auth.apiKey({ cookie: session });
  const site: Site = { port: service.httpPort, listed: LISTED, publicUrl: PUBLIC, session, apiKey };
  const before = await auth.send({ path: '/api/v1/farms' }, auth.admin);
  for (const { row, count, run } of BROWSER_ATTACKS) {
    const { tried, violations } = await run(site, shortForm(count));
    t.equal(tried, shortForm(count), row);
    t.strictSame(violations, [], row);
  }
  t.strictSame((await runForgedTargets(site, 40)).violations, [], 'T16');
  const me = await auth.send<{ subject: string }>({ path: '/api/v1/auth/me' }, auth.admin);
  const secrets = [ADMIN.password, apiKey, session.split('=')[1] ?? '', me.body.subject];
  t.ok(secrets.every((secret) => secret.length > 8));
  t.strictSame((await runExposure(site, 20, secrets)).violations, [], 'T35');
  const after = await auth.send({ path: '/api/v1/farms' }, auth.admin);
  t.equal(after.text, before.text, 'the attacks have changed nothing');
  t.match(
    service.daemon.log(),
    'http.cors_origins: * has no effect while authentication is on; list the origins',
  );
  for (const secret of [ADMIN.password, apiKey, session.split('=')[1] ?? ''])
    t.notOk(service.daemon.log().includes(secret), 'no secret is logged');
});
