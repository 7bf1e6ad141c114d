import { fileURLToPath } from 'node:url';
import { startFront } from '../../http/front.ts';
import { BodyBudget } from '../../http/guards/body-budget.ts';
import { readBundle, type Bundle } from '../../http/pages/bundle.ts';
import type { Ports } from '../../http/ports.ts';
import type { HttpEngine } from '../../http/server/engine.ts';
import { selectEngine, type EngineChoice } from '../../http/server/select-engine.ts';
import type { Logger } from '../process/logging.ts';
import { onHangUp } from '../process/stop-signal.ts';
import { ownNames } from '../../src/adapters/host/own-names.ts';
import { packageRoot } from '../../src/adapters/system/package-root.ts';
import { shardThreadName } from '../threads/entry-url.ts';
import type { ClusterNode } from './cluster/cluster-node.ts';
import type { PreparationPool } from './preparation-pool.ts';
import { openAccessLog } from './open-access-log.ts';
import { ThreadProfiler } from './profiler.ts';
import type { StartContext } from './start-context.ts';

/** Part of the shutdown budget in which running requests may end. */
const HTTP_DRAIN_MS = 15_000;
const READY_POLL_MS = 50;

/** Starts the HTTP server and returns its port. */
export async function startHttp(
  { config, logger, shutdown }: StartContext,
  ports: Ports,
  pool: PreparationPool,
  cluster: Pick<ClusterNode, 'frontStarted'> | null,
): Promise<number> {
  const { addr, engine, rateLimit, trustProxy, enablePprof, pprofAddr, bodies, connectionsPerClient } =
    config.http;
  const { corsOrigins, allowedHosts, publicUrl } = config.http;
  const shards = Array.from({ length: config.scheduler.shards }, (_, index) => shardThreadName(index));
  const profiler = new ThreadProfiler(() => [...shards, 'store', 'logs', ...pool.threads()]);
  const machine = ownNames();
  const accessLog = config.http.accessLog === null ? null : openAccessLog(config.http.accessLog, logger);
  if (accessLog !== null) shutdown.add('http', () => accessLog.close());
  onHangUp(() => {
    accessLog?.reopen();
    logger.info({ path: config.http.accessLog ?? 'none' }, 'SIGHUP: the access log was opened again');
  });
  const server = await startFront(
    {
      ...addr,
      engine: selected(engine, logger),
      corsOrigins,
      allowedHosts,
      publicUrl,
      machine,
      rateLimit: { limit: rateLimit, trustProxy },
      bodies: new BodyBudget(bodies),
      connectionsPerClient,
      profiler: enablePprof ? profiler : null,
      pprofAddress: pprofAddr,
      pages: webApp(logger),
      accessLog: accessLog?.write ?? null,
    },
    ports,
  );
  cluster?.frontStarted(server.forwarded);
  shutdown.add('http', () => server.stop(HTTP_DRAIN_MS));
  logger.info(
    { names: machine.names, addresses: machine.addresses(), allowed: allowedHosts, public_url: publicUrl },
    'the service answers to these hosts and to the loopback',
  );
  if (server.pprofPort !== null)
    logger.info(
      { host: pprofAddr?.host, port: server.pprofPort },
      'profiles are served at their own address',
    );
  return server.port;
}

const ENGINE_TITLES: Readonly<Record<HttpEngine['name'], string>> = {
  uws: 'uWebSockets.js',
  node: 'node:http',
};

/** Selects the HTTP engine, and logs which one runs and why. */
function selected(choice: EngineChoice, logger: Logger): HttpEngine {
  const { engine, reason, isFallback } = selectEngine(choice);
  const facts = { engine: ENGINE_TITLES[engine.name], reason };
  if (isFallback) logger.warn(facts, 'the HTTP engine is node:http, because uWebSockets.js cannot be used');
  else logger.info(facts, 'the HTTP engine was selected');
  return engine;
}

/** Resolves when every shard has reached the bus, or when the service is asked to stop. */
export async function untilReady(ports: Ports, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      await ports.health.bus();
      return;
    } catch {
      // Not logged: /readyz reports the reason, and the bus logs its state.
      await ports.delay(READY_POLL_MS, stopping);
    }
  }
}

/** Returns the built files of the web application, or null if it was not built. */
function webApp(logger: Logger): Bundle | null {
  const directory = fileURLToPath(new URL('dist/web-app', packageRoot));
  const bundle = readBundle(directory);
  if (bundle === null) logger.warn({ directory }, 'the web application is not built: run npm run build');
  return bundle;
}
