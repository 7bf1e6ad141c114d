import { test } from 'tap';
import { OPEN_MANAGED_BUS } from '../../../src/core/bus-identity/open-bus.ts';
import { busReach } from '../../../src/core/discovery/bus-address.ts';
import { startApi } from '../kit/api-fixture.ts';

void test('the settings have the address of the bus and the times of silent workers', async (t) => {
  const { api, client } = await startApi(t);
  const read = async () => (await client.get('/api/v1/settings')).body as { readonly bus: object };
  t.strictSame(await read(), {
    auth: { password_length_min: 8 },
    bus: { urls: ['nats://127.0.0.1:14222'], port: 14_222, is_local: true, authenticated: true },
    scheduler: { heartbeat_timeout_seconds: 30, reclaim_after_seconds: 45 },
    web: { job_links: [] },
  });
  const jobLinks = [{ name: 'Tracker', url: 'https://example.org/{job.id}' }];
  api.settings = { ...api.settings, jobLinks };
  t.match(await read(), { web: { job_links: jobLinks } });
  const busAt = async (urls: readonly string[], host: string, port = 4333): Promise<object> => {
    api.settings = { ...api.settings, bus: busReach(urls, { host, port }), isBusManaged: urls.length === 0 };
    return (await read()).bus;
  };
  t.strictSame(await busAt([], '0.0.0.0'), { urls: [], port: 4333, is_local: false, authenticated: true });
  t.strictSame(await busAt([], '10.0.0.7'), {
    urls: ['nats://10.0.0.7:4333'],
    port: 4333,
    is_local: false,
    authenticated: true,
  });
  t.strictSame(await busAt(['tls://a:4222'], '127.0.0.1'), {
    urls: ['tls://a:4222'],
    is_local: false,
    authenticated: true,
  });
  t.strictSame(await busAt(['nats://u:secret@a:4222'], '127.0.0.1'), {
    urls: [],
    is_local: false,
    authenticated: true,
  });
});

void test('the settings say whether the bus has authentication, once it is known', async (t) => {
  const { api, client } = await startApi(t);
  const authenticated = async (): Promise<unknown> => {
    const { bus } = (await client.get('/api/v1/settings')).body as { readonly bus: object };
    return 'authenticated' in bus ? bus.authenticated : 'unknown';
  };
  t.equal(await authenticated(), true);
  api.busStanding = OPEN_MANAGED_BUS;
  t.equal(await authenticated(), false);
  api.busStanding = { kind: 'unknown' };
  t.equal(await authenticated(), 'unknown');
});
