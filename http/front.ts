import type { Profiler } from './debug/pprof.ts';
import { accessGuard } from './guards/access.ts';
import { Authenticator } from './guards/authenticator.ts';
import { BodyBudget, type BodyLimits } from './guards/body-budget.ts';
import { clientOf } from './guards/client-address.ts';
import { ConnectionLimit } from './guards/connection-limit.ts';
import { CorsPolicy } from './guards/cors.ts';
import { rateLimitGuard, type RateLimitSettings } from './guards/rate-limit.ts';
import { readContract } from './openapi/contract.ts';
import type { Bundle } from './pages/bundle.ts';
import type { HttpRequest } from './pipeline/message.ts';
import { createPipeline } from './pipeline/pipeline.ts';
import { EVENTS_PATH } from './guards/upgrade.ts';
import type { Ports } from './ports.ts';
import { handlersOf } from './routes/handlers.ts';
import type { HttpEngine, ListenAddress } from './server/engine.ts';
import { serveHttp, type HttpServer } from './server/server.ts';
import { Gateway } from './ws/gateway.ts';
import { MessageLimit } from './ws/message-limit.ts';

export interface FrontOptions extends ListenAddress {
  readonly engine: HttpEngine;
  /** `http.cors_origins`, validated; empty means every origin. */
  readonly corsOrigins: readonly string[];
  readonly rateLimit: RateLimitSettings;
  /** Bytes of the request bodies in memory. */
  readonly bodies: BodyLimits;
  /** Open event connections of one client (`http.rate_limit.connections`). Without a rate limit there is no limit. */
  readonly connectionsPerClient: number;
  /** Null if profiling is off (`http.enable_pprof`). */
  readonly profiler: Profiler | null;
  /** Files of the web application; null if it was not built. */
  readonly pages: Bundle | null;
}

/**
 * Starts the REST API, the event channel and the web application. Rejects if the contract and the handlers do not
 * match, or if the address is not available.
 */
export async function startFront(options: FrontOptions, ports: Ports): Promise<HttpServer> {
  const contract = readContract();
  const { limit, trustProxy } = options.rateLimit;
  const connections = new ConnectionLimit(limit === null ? null : options.connectionsPerClient);
  const client = (request: HttpRequest): string =>
    clientOf(request.remoteAddress, request.headers, trustProxy);
  // A client counts by its network, but the audit log names the peer itself.
  const address = (request: HttpRequest): string =>
    trustProxy ? client(request) : request.remoteAddress.replace(/^::ffff:/, '');
  const authenticator = ports.auth.enabled ? new Authenticator(ports, ports.auth.cookieName) : null;
  const pipeline = createPipeline(contract, handlersOf(contract, ports), ports, {
    access: accessGuard(authenticator),
    cors: new CorsPolicy(options.corsOrigins),
    client,
    address,
    tooMany: rateLimitGuard(limit, client, () => ports.steadyNow()),
    bodies: new BodyBudget(options.bodies),
    connections,
    profiler: options.profiler,
    pages: options.pages,
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
  try {
    return await serveHttp(options.engine, options, pipeline, { path: EVENTS_PATH, service }, failed);
  } catch (error) {
    gateway.stop();
    throw error;
  }
}
