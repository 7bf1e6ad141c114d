import type { Door } from '../guards/door.ts';
import { framingFault } from '../guards/framing.ts';
import type { HttpRequest, HttpResponse } from '../pipeline/message.ts';
import { requestIdOf } from '../pipeline/request-id.ts';
import { problemResponse } from '../problems.ts';
import type { HttpEngine, ListenAddress } from '../server/engine.ts';
import { serveHttp, type HttpServer } from '../server/server.ts';
import { answerPprof, isPprof, type Profiler } from './pprof.ts';

export interface PprofServerParts {
  readonly profiler: Profiler;
  readonly door: Pick<Door, 'hostRefusal'>;
  readonly newId: () => string;
  readonly failed: (error: unknown) => void;
}

/** No path of this server accepts WebSocket connections; the engine needs one. */
const NO_SOCKETS = '/debug/pprof/ws';

/**
 * Serves only the profiling routes at an address of their own (`http.pprof_addr`,
 * docs/contract/rest.md#public-routes). Rejects if the address is not available.
 */
export function startPprofServer(
  engine: HttpEngine,
  address: ListenAddress,
  { profiler, door, newId, failed }: PprofServerParts,
): Promise<HttpServer> {
  const handle = (request: HttpRequest): HttpResponse | Promise<HttpResponse> => {
    const requestId = requestIdOf(request.headers, newId);
    const fault = framingFault(request.headers);
    if (fault !== null) return problemResponse({ kind: 'bad-request', detail: fault }, requestId, [], true);
    const stranger = door.hostRefusal(request);
    if (stranger !== null) return problemResponse(stranger, requestId);
    if (isPprof(request.path)) return answerPprof(profiler, request, requestId);
    return problemResponse(
      { kind: 'not-found', detail: 'this address serves only /debug/pprof/' },
      requestId,
    );
  };
  const finished = async (request: HttpRequest): Promise<HttpResponse> => {
    const answer = await handle(request);
    return { ...answer, headers: [...answer.headers, ...COMMON_HEADERS] };
  };
  const service = {
    admit: finished,
    opened: () => {
      throw new Error('profiles have no WebSocket connections');
    },
    stop: () => undefined,
  };
  const refuseHead = (problem: Parameters<typeof problemResponse>[0]): HttpResponse =>
    problemResponse(problem, newId(), COMMON_HEADERS, true);
  return serveHttp(engine, address, { handle: finished, refuseHead }, { path: NO_SOCKETS, service }, failed);
}

const COMMON_HEADERS = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Cache-Control', 'no-store'],
] as const;
