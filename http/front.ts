import { withAccessLog, type AccessLog } from './access-log/access-log.ts';
import type { Profiler } from './debug/pprof.ts';
import { startPprofServer } from './debug/pprof-server.ts';
import { accessGuard } from './guards/access.ts';
import { Authenticator } from './guards/authenticator.ts';
import type { BodyBudget } from './guards/body-budget.ts';
import { clientOf, isTrustedPeer } from './guards/client-address.ts';
import { ConnectionLimit } from './guards/connection-limit.ts';
import { CorsPolicy } from './guards/cors.ts';
import { Door } from './guards/door.ts';
import { KnownHosts, type MachineHosts } from './guards/known-hosts.ts';
import { ListedOrigins } from './guards/origin.ts';
import { rateLimitGuard, type RateLimitSettings } from './guards/rate-limit.ts';
import { readContract } from './openapi/contract.ts';
import type { Bundle } from './pages/bundle.ts';
import type { HttpRequest, RequestHandler } from './pipeline/message.ts';
import { createPipeline } from './pipeline/pipeline.ts';
import { EVENTS_PATH } from './guards/upgrade.ts';
import type { Ports } from './ports.ts';
import { handlersOf } from './routes/handlers.ts';
import type { HttpEngine, ListenAddress } from './server/engine.ts';
import { serveHttp, type HttpServer } from './server/server.ts';
import { Gateway } from './ws/gateway.ts';
import { MessageLimit } from './ws/message-limit.ts';

export interface FrontOptions extends ListenAddress, BrowserOptions {
  readonly engine: HttpEngine;
  readonly rateLimit: RateLimitSettings;
  /** Bytes of the request bodies in memory. */
  readonly bodies: BodyBudget;
  /** Open event connections of one client (`http.rate_limit.connections`). Without a rate limit there is no limit. */
  readonly connectionsPerClient: number;
  /** Null if profiling is off (`http.enable_pprof`). */
  readonly profiler: Profiler | null;
  /** `http.pprof_addr`; null: profiles are served with the REST API. */
  readonly pprofAddress: ListenAddress | null;
  /** Files of the web application; null if it was not built. */
  readonly pages: Bundle | null;
  /** Receives a record for each request at the main address; null: none (`http.access_log`). */
  readonly accessLog: AccessLog | null;
}

/** Hosts that the service answers to, and pages that may use it (docs/contract/authentication.md#csrf-and-cors). */
export interface BrowserOptions {
  /** `http.cors_origins`, validated. */
  readonly corsOrigins: readonly string[];
  /** `http.allowed_hosts`, validated. */
  readonly allowedHosts: readonly string[];
  /** `http.public_url`, validated; null: none. */
  readonly publicUrl: string | null;
  readonly machine: MachineHosts;
}

/** The running servers of the front. */
export interface Front extends HttpServer {
  /** Port of the profiles; null if they have no address of their own. */
  readonly pprofPort: number | null;
  /** Handles a request that another node of the cluster has received (`Pipeline.forwarded`). */
  readonly forwarded: RequestHandler;
}

/**
 * Starts the REST API, the event channel and the web application. Rejects if the contract and the handlers do not
 * match, or if an address is not available.
 */
export async function startFront(options: FrontOptions, ports: Ports): Promise<Front> {
  const contract = readContract();
  const { limit, trustProxy } = options.rateLimit;
  const connections = new ConnectionLimit(limit === null ? null : options.connectionsPerClient);
  const client = (request: HttpRequest): string =>
    clientOf(request.remoteAddress, request.headers, trustProxy);
  const { profiler, pprofAddress } = options;
  const { door, cors } = browserGuards(options, ports);
  // A client counts by its network, but the audit log names the peer itself.
  const address = (request: HttpRequest): string =>
    isTrustedPeer(request.remoteAddress, trustProxy)
      ? client(request)
      : request.remoteAddress.replace(/^::ffff:/, '');
  const authenticator = ports.auth.enabled ? new Authenticator(ports, ports.auth.cookieName) : null;
  const access = accessGuard(authenticator);
  const unlogged = createPipeline(contract, handlersOf(contract, ports), ports, {
    door,
    access,
    cors,
    client,
    address,
    tooMany: rateLimitGuard(limit, client, () => ports.steadyNow()),
    bodies: options.bodies,
    connections,
    profiler: pprofAddress === null ? profiler : null,
    pages: options.pages,
  });
  const pipeline =
    options.accessLog === null
      ? unlogged
      : withAccessLog(unlogged, {
          write: options.accessLog,
          address,
          userOf: (request) => access.principalOf(request)?.username ?? '',
          now: () => ports.now(),
          steadyNow: () => ports.steadyNow(),
        });
  const messages = new MessageLimit(() => ports.steadyNow(), limit !== null);
  const gateway = new Gateway(ports, { connections, messages });
  const service = {
    admit: pipeline.admit,
    opened: gateway.opened.bind(gateway),
    stop: gateway.stop.bind(gateway),
  };
  const failed = (error: unknown): void => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    ports.log('error', 'response aborted', { error: text });
  };
  const newId = (): string => ports.newId();
  let profiles: HttpServer | null = null;
  try {
    if (profiler !== null && pprofAddress !== null)
      profiles = await startPprofServer(options.engine, pprofAddress, { profiler, door, newId, failed });
    const sockets = { path: EVENTS_PATH, service };
    const main = await serveHttp(options.engine, options, pipeline, sockets, failed);
    return withProfiles(main, profiles, pipeline.forwarded);
  } catch (error) {
    gateway.stop();
    await profiles?.stop(0);
    throw error;
  }
}

function withProfiles(main: HttpServer, profiles: HttpServer | null, forwarded: RequestHandler): Front {
  return {
    forwarded,
    port: main.port,
    pprofPort: profiles?.port ?? null,
    stop: async (budgetMs) => {
      await Promise.all([main.stop(budgetMs), profiles?.stop(budgetMs)]);
    },
  };
}

function browserGuards(
  options: FrontOptions,
  ports: Ports,
): { readonly door: Door; readonly cors: CorsPolicy } {
  const { corsOrigins, allowedHosts, publicUrl, machine } = options;
  const isAuthenticated = ports.auth.enabled;
  const sessionCookie = isAuthenticated ? ports.auth.cookieName : null;
  if (isAuthenticated && corsOrigins.includes('*'))
    ports.log('error', 'http.cors_origins: * has no effect while authentication is on; list the origins', {});
  const origins = new ListedOrigins(corsOrigins, isAuthenticated);
  const listenHosts = [options.host, ...(options.pprofAddress === null ? [] : [options.pprofAddress.host])];
  const hosts = new KnownHosts({
    allowed: allowedHosts,
    publicUrl,
    listenHosts,
    machine,
    steadyNow: () => ports.steadyNow(),
  });
  const trusted = options.rateLimit.trustProxy;
  return {
    door: new Door({ hosts, origins, publicUrl, trusted, sessionCookie }),
    cors: new CorsPolicy(origins, isAuthenticated),
  };
}
