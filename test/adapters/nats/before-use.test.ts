import { test, type Test } from 'tap';
import { BusConnection } from '../../../src/adapters/nats/connection.ts';
import { InFlightLimit } from '../../../src/adapters/nats/in-flight-limit.ts';
import type { BusEvent } from '../../../src/core/ports/bus.ts';
import { freePort, NatsServer } from '../../kit/nats-server.ts';
import { ofType, Recorder } from '../../kit/nats-recorder.ts';

interface Dialed {
  readonly connection: BusConnection;
  readonly events: Recorder<BusEvent>;
  /** Servers in each call, and when a connection may be used (`use`). */
  readonly calls: Recorder<readonly string[] | 'use'>;
}

function dial(t: Test, servers: readonly string[], refusal: () => string | null = () => null): Dialed {
  const events = new Recorder<BusEvent>();
  const calls = new Recorder<readonly string[] | 'use'>();
  const connection = new BusConnection(
    {
      servers: { servers, isTls: false },
      name: 'test',
      redial: { msMin: 20, msMax: 40 },
      beforeUse: async (found) => {
        calls.add(found);
        const reason = refusal();
        if (reason !== null) throw new Error(reason);
        await Promise.resolve();
      },
    },
    {
      sessionStarted: () => calls.add('use'),
      sessionEnded: () => undefined,
      changed: events.add,
    },
  );
  t.teardown(() => connection.close());
  return { connection, events, calls };
}

const started = async (t: Test, config: readonly string[]): Promise<NatsServer> => {
  const server = await NatsServer.prepare(config);
  t.teardown(() => server.stop());
  return server;
};

test('servers are reported before they are dialed, and the address of the peer before it is used', async (t) => {
  const server = await started(t, []);
  const dialed = [`localhost:${server.port}`];
  const { events, calls } = dial(t, dialed);
  await events.next(ofType('unreachable'));
  t.same(calls.all[0], dialed, 'also those that cannot be reached');
  await server.restart();
  await calls.next((call) => call === 'use');
  t.same(calls.all.slice(-3), [dialed, [`127.0.0.1:${server.port}`], 'use']);
  const before = calls.all.length;
  await server.kill();
  await events.next(ofType('disconnected'));
  await server.restart();
  await calls.next((call) => call === 'use', before);
  t.same(calls.all.slice(-3), [dialed, [`127.0.0.1:${server.port}`], 'use'], 'again for each connection');
});

test('other members of a cluster are reported, also those that join later', async (t) => {
  const [one, two] = [await freePort(), await freePort()];
  const routes = `routes: ["nats://127.0.0.1:${one}", "nats://127.0.0.1:${two}"]`;
  const config = (port: number): string[] => [
    `cluster { name: test, listen: "127.0.0.1:${port}", ${routes} }`,
  ];
  const [first, second] = [await started(t, config(one)), await started(t, config(two))];
  await first.restart();
  const { calls } = dial(t, [`127.0.0.1:${first.port}`]);
  await calls.next((call) => call === 'use');
  await second.restart();
  const joined = `127.0.0.1:${second.port}`;
  const added = await calls.next((call) => call.includes(joined));
  t.same(added, [joined], 'the present connection learns it');
  const later = dial(t, [`127.0.0.1:${first.port}`]);
  await later.calls.next((call) => call === 'use');
  t.ok(later.calls.all.slice(0, -1).flat().includes(joined), 'another connection learns it before its use');
});

test('a connection that must not be used is closed, and the next one is checked again', async (t) => {
  const server = await started(t, []);
  await server.restart();
  let reason: string | null = 'no rules';
  let checks = 0;
  const { connection, events, calls } = dial(t, [`127.0.0.1:${server.port}`], () => {
    checks += 1;
    return checks % 2 === 0 ? reason : null;
  });
  t.match(await events.next(ofType('unreachable')), { reason: 'no rules' });
  await calls.count(6);
  t.notOk(calls.all.includes('use'));
  t.equal(connection.publish('a', 'b'), 'disconnected');
  reason = null;
  await calls.next((call) => call === 'use');
  t.equal(await connection.check(10_000), null);
});

test('connections that share a limit dial in turn, and one that is closed while it waits does not dial', async (t) => {
  const server = await started(t, []);
  await server.restart();
  const servers = { servers: [`127.0.0.1:${server.port}`], isTls: false };
  const dialing = new InFlightLimit(1, 0);
  const uses = new Recorder<number>();
  const calls: number[] = [];
  const open = (number: number): BusConnection =>
    new BusConnection(
      {
        servers,
        name: `test ${number}`,
        dialing,
        beforeUse: async () => {
          calls.push(number);
          await Promise.resolve();
        },
      },
      {
        sessionStarted: () => uses.add(number),
        sessionEnded: () => undefined,
        changed: () => undefined,
      },
    );
  const connections = [1, 2, 3, 4].map(open);
  await connections[2]?.close();
  t.notOk(calls.includes(3));
  await uses.next((number) => number === 4);
  // Each call before a dial is followed by the one for the same connection.
  t.same(calls, [1, 1, 2, 2, 4, 4]);
  t.same(uses.all, [1, 2, 4]);
  await Promise.all(connections.map((connection) => connection.close()));
});
