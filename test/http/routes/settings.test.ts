import { test } from 'tap';
import { busReach } from '../../../src/core/discovery/bus-address.ts';
import { startApi } from '../kit/api-fixture.ts';

void test('the settings have the address of the bus and the times of silent workers', async (t) => {
  const { api, client } = await startApi(t);
  const read = async () => (await client.get('/api/v1/settings')).body as { readonly bus: object };
  t.strictSame(await read(), {
    auth: { password_length_min: 8 },
    bus: { urls: ['nats://127.0.0.1:14222'], port: 14_222, is_local: true },
    scheduler: { heartbeat_timeout_seconds: 30, reclaim_after_seconds: 45 },
  });
  const busAt = async (urls: readonly string[], host: string, port = 4333): Promise<object> => {
    api.settings = { ...api.settings, bus: busReach(urls, { host, port }), isBusManaged: urls.length === 0 };
    return (await read()).bus;
  };
  t.strictSame(await busAt([], '0.0.0.0'), { urls: [], port: 4333, is_local: false });
  t.strictSame(await busAt([], '10.0.0.7'), { urls: ['nats://10.0.0.7:4333'], port: 4333, is_local: false });
  t.strictSame(await busAt(['tls://a:4222'], '127.0.0.1'), { urls: ['tls://a:4222'], is_local: false });
  t.strictSame(await busAt(['nats://u:secret@a:4222'], '127.0.0.1'), { urls: [], is_local: false });
});
