import { test, type Test } from 'tap';
import { CLIENT_FRAMES, CONNECTION_FRAMES } from '../../../http/ws/message-limit.ts';
import { refusedUpgrade, upgradeHead, WebSocketClient } from '../../kit/web-socket.ts';
import { startApi, wideLimits, type StartedApi } from '../kit/api-fixture.ts';

const LIMIT = { limit: { rps: 1_000, burst: 1_000 }, trustProxy: true };

const startLimited = (t: Test, connectionsPerClient: number): Promise<StartedApi> =>
  startApi(t, [], LIMIT, null, null, { ...wideLimits(), connectionsPerClient });

const from = (address: string): Readonly<Record<string, string>> => ({ 'X-Forwarded-For': address });

async function openAs(t: Test, port: number, address: string): Promise<WebSocketClient> {
  const client = await WebSocketClient.open(port, from(address));
  t.teardown(() => client.destroy());
  return client;
}

const PER_CONNECTION = { code: 1008, reason: `more than ${CONNECTION_FRAMES.rps} frames per second` };
const PER_CLIENT = {
  code: 1008,
  reason: `more than ${CLIENT_FRAMES.rps} frames per second from one address`,
};

void test('a connection that sends too many frames is closed', async (t) => {
  const { api, server } = await startApi(t);
  const flood = await openAs(t, server.port, '192.0.2.1');
  for (let frame = 0; frame <= CONNECTION_FRAMES.burst; frame++) flood.send({ type: 'ping', seq: frame });
  t.strictSame(await flood.closed, PER_CONNECTION);
  t.equal(flood.received.length, CONNECTION_FRAMES.burst);

  const pings = await openAs(t, server.port, '192.0.2.1');
  for (let frame = 0; frame <= CONNECTION_FRAMES.burst; frame++) pings.ping();
  t.strictSame(await pings.closed, PER_CONNECTION, 'ping frames count');
  t.equal(api.events.figures.clients, 0);

  const patient = await openAs(t, server.port, '192.0.2.1');
  for (let frame = 0; frame < CONNECTION_FRAMES.burst; frame++) patient.send({ type: 'ping', seq: frame });
  await patient.take(CONNECTION_FRAMES.burst);
  api.steadyNow += 1_000;
  for (let frame = 0; frame < CONNECTION_FRAMES.rps; frame++) patient.send({ type: 'ping', seq: frame });
  t.equal((await patient.take(CONNECTION_FRAMES.rps)).length, CONNECTION_FRAMES.rps, 'its rate is served');
});

void test('the connections of one client share its frames', async (t) => {
  const { server } = await startLimited(t, 100);
  const connections = CLIENT_FRAMES.burst / CONNECTION_FRAMES.burst;
  for (let nth = 0; nth < connections; nth++) {
    const client = await openAs(t, server.port, '192.0.2.1');
    for (let frame = 0; frame < CONNECTION_FRAMES.burst; frame++) client.send({ type: 'ping', seq: frame });
    await client.take(CONNECTION_FRAMES.burst);
  }
  const last = await openAs(t, server.port, '192.0.2.1');
  last.send({ type: 'ping', seq: 1 });
  t.strictSame(await last.closed, PER_CLIENT);
  const other = await openAs(t, server.port, '192.0.2.2');
  other.send({ type: 'ping', seq: 1 });
  t.match(await other.next(), { type: 'pong' }, 'another client has its own');
});

void test('a client has a limited number of connections', async (t) => {
  const { server } = await startLimited(t, 2);
  const first = await openAs(t, server.port, '192.0.2.1');
  await openAs(t, server.port, '192.0.2.1');
  const { head, body } = await refusedUpgrade(server.port, upgradeHead('/api/v1/ws', from('192.0.2.1')));
  t.match(head, /^HTTP\/1\.1 429 [^]*Retry-After: 60/i);
  t.match(body, 'this address has 2 open event connections, the limit');
  await openAs(t, server.port, '192.0.2.2');

  first.close();
  await first.closed;
  await openAs(t, server.port, '192.0.2.1');
});

void test('without a rate limit a client may have any number of connections', async (t) => {
  const limits = { ...wideLimits(), connectionsPerClient: 1 };
  const { server } = await startApi(t, [], { limit: null, trustProxy: false }, null, null, limits);
  for (let nth = 0; nth < 3; nth++) await openAs(t, server.port, '');
  t.pass();
});
