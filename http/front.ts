import type { Profiler } from './debug/pprof.ts';
import { CorsPolicy } from './guards/cors.ts';
import { rateLimitGuard, type RateLimitSettings } from './guards/rate-limit.ts';
import { readContract } from './openapi/contract.ts';
import type { Bundle } from './pages/bundle.ts';
import { createPipeline } from './pipeline/pipeline.ts';
import { EVENTS_PATH } from './guards/upgrade.ts';
import type { Ports } from './ports.ts';
import { handlersOf } from './routes/handlers.ts';
import { serveHttp, type HttpServer, type ListenAddress } from './server/server.ts';
import { Gateway } from './ws/gateway.ts';

export interface FrontOptions extends ListenAddress {
  /** `http.cors_origins`, validated; empty means every origin. */
  readonly corsOrigins: readonly string[];
  readonly rateLimit: RateLimitSettings;
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
  const pipeline = createPipeline(contract, handlersOf(contract), ports, {
    cors: new CorsPolicy(options.corsOrigins),
    tooMany: rateLimitGuard(options.rateLimit, () => ports.steadyNow()),
    profiler: options.profiler,
    pages: options.pages,
  });
  const gateway = new Gateway(ports);
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
    return await serveHttp(options, pipeline.handle, { path: EVENTS_PATH, service }, failed);
  } catch (error) {
    gateway.stop();
    throw error;
  }
}
