import { test } from 'tap';
import { watchBusStanding } from '../../../daemons/server/bus-standing.ts';
import { createLogger, type Logger } from '../../../daemons/process/logging.ts';
import { configuredServers, type ServerList } from '../../../src/adapters/nats/server-address.ts';
import { serverConfig, type ServerConfig } from '../../../src/core/config/server-config.ts';
import type { QueueRecord } from '../../../src/core/records/queue.ts';
import { queueRecord } from '../../http/kit/records.ts';
import { NatsServer } from '../../kit/nats-server.ts';
import { until } from '../../kit/until.ts';

const MANAGED: ServerList = { servers: ['127.0.0.1:1'], isTls: false };

function configOf(environment: Readonly<Record<string, string>> = {}): ServerConfig {
  const resolved = serverConfig({ file: null, environment, flags: [] });
  if (!resolved.ok) throw new Error(resolved.lines.join('\n'));
  return resolved.values;
}

/** Watches the bus of a configuration. Returns the watch and the warnings that it logs. */
function watched(config: ServerConfig, servers: ServerList, queues: readonly QueueRecord[]) {
  const warnings: { readonly text: string; readonly queues: string | undefined }[] = [];
  const logger: Logger = createLogger(
    { format: 'json', level: 'warn' },
    'server',
    ({ level, msg, attrs }) => {
      if (level === 'WARN') warnings.push({ text: msg, queues: attrs['queues'] });
    },
  );
  const stop = new AbortController();
  const watch = watchBusStanding({ config, logger, stopping: stop.signal }, servers, () => queues);
  return { watch, warnings, stop: () => stop.abort() };
}

const RENDER = queueRecord({ name: 'render', runAsUser: 'artist' });

test('a managed bus without authentication is reported at the start if queues have accounts', (t) => {
  const { watch, warnings, stop } = watched(configOf(), MANAGED, [RENDER, queueRecord({ name: 'plain' })]);
  stop();
  t.equal(watch.current().kind, 'open');
  t.match(warnings, [
    {
      text: /act as a worker: receive tasks, and report on those of others; give the bus authentication/,
      queues: 'render',
    },
  ]);
  const without = watched(configOf(), MANAGED, [queueRecord({ name: 'plain' })]);
  without.stop();
  t.same(without.warnings, []);
  t.end();
});

test('an external bus is checked with a client without credentials', async (t) => {
  const found = async (server: NatsServer, url: string) => {
    const config = configOf({ SVC_BUS_URL: url });
    const each = watched(config, configuredServers([url], null), [RENDER]);
    await until('the bus was checked', () =>
      Promise.resolve(each.watch.current().kind !== 'unknown' || null),
    );
    each.stop();
    await server.stop();
    return { kind: each.watch.current().kind, warnings: each.warnings };
  };
  const open = await NatsServer.start([]);
  t.match(await found(open, `nats://127.0.0.1:${open.port}`), {
    kind: 'open',
    warnings: [{ text: /answer workers in place of the service/, queues: 'render' }],
  });
  const closed = await NatsServer.start(['authorization { users: [ { user: service, password: secret } ] }']);
  t.same(await found(closed, `nats://service:secret@127.0.0.1:${closed.port}`), {
    kind: 'closed',
    warnings: [],
  });
});
