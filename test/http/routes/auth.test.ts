import { test } from 'tap';
import { startApi } from '../kit/api-fixture.ts';

const OFF = {
  status: 409,
  body: { title: 'Conflict', detail: 'authentication is off (auth.enabled): there is no account to use' },
};

void test('without authentication every client is a superuser without an account', async (t) => {
  const { api, client } = await startApi(t);
  t.match(await client.get('/api/v1/auth/providers'), {
    status: 200,
    body: { local: true, ldap: false, oidc: false, auth_enabled: false },
  });
  const me = await client.get('/api/v1/auth/me', { authorization: 'Bearer svc_whatever' });
  t.equal(me.status, 200);
  t.strictSame(me.body, {
    subject: 'anonymous',
    username: 'anonymous',
    display_name: 'Anonymous',
    roles: ['admin'],
    permissions: [
      'jobs.read',
      'jobs.read.all',
      'jobs.write',
      'jobs.submit_as',
      'workers.read',
      'workers.manage',
      'infra.read',
      'infra.manage',
      'products.read',
      'products.manage',
      'diagnostics.read',
      'users.read',
      'users.manage',
      'apikeys.self',
      'apikeys.admin',
      'isolation.manage',
    ],
    kind: 'anonymous',
  });
  for (const body of [{}, { display_name: 'Ada', role: 'admin' }]) {
    t.match(await client.json('PATCH', '/api/v1/auth/me', body), OFF);
  }
  const passwords = { current_password: 'a', new_password: 'b' };
  t.match(await client.json('PUT', '/api/v1/auth/password', passwords), OFF);
  t.match(await client.json('PATCH', '/api/v1/auth/me', { display_name: 7 }), {
    status: 400,
    body: { detail: '/display_name: must be string' },
  });
  t.match(await client.json('PUT', '/api/v1/auth/password', { new_password: 'b' }), { status: 400 });
  t.same(api.asked, []);
});
