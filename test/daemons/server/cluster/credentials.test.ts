import tap, { test } from 'tap';
import { API_KEY_USE_MS } from '../../../../src/core/records/api-key.ts';
import { follow, own, startFronts } from '../../../kit/cluster-fronts.ts';
import { until } from '../../../kit/until.ts';
import { AUTH_OFF } from '../../../http/kit/api-fixture.ts';
import { accountChanges } from '../../../http/kit/signed-in.ts';
import { T0 } from '../../../http/kit/records.ts';

tap.setTimeout(60_000);

const AUTH_ON = { ...AUTH_OFF, enabled: true };
const KEY = { authorization: 'Bearer svc_key-of-root' };

await test('a follower checks credentials, and tells the owner what it has seen', async (t) => {
  const { fronts } = await startFronts(t, ['a', 'b'], AUTH_ON);
  const [a, b] = fronts;
  if (a === undefined || b === undefined) throw new Error('two nodes were started');
  for (const { api } of fronts) api.write(...accountChanges('root', 'admin'));
  follow(b, 1, 10);
  own(a, 1, 10);

  t.equal((await b.client.get('/api/v1/farms')).status, 401);
  await until('the refusal is in the audit log of the owner', () => a.api.audited.length === 1);
  t.match(a.api.audited[0], { outcome: 'denied', path: '/api/v1/farms', status: 401 });
  t.match(a.api.audited[0]?.remoteAddress, /127\.0\.0\.1/);
  t.equal(b.api.audited.length, 0);

  b.api.now = T0 + API_KEY_USE_MS;
  t.equal((await b.client.get('/api/v1/farms', KEY)).status, 200);
  await until('the owner knows of the use of the key', () => a.api.told.length === 1);
  t.match(a.api.told[0], { actor: 'accounts', message: { type: 'key.used' } });
  t.equal(b.api.told.length, 0);

  const unknown = await b.client.json('POST', '/api/v1/farms', { name: 'x' });
  t.equal(unknown.status, 401, 'the owner refuses a write without a credential');
  await until('the owner records it', () => a.api.audited.length === 2);
  t.match(a.api.audited[1], { method: 'POST', remoteAddress: a.api.audited[0]?.remoteAddress });
});
