import type { Outcome, Problem } from '../../src/core/problems.ts';
import { withAuditNote } from '../audit/audit-note.ts';
import { AuditTrail } from '../audit/audit-trail.ts';
import { answerPprof, isPprof, type Profiler } from '../debug/pprof.ts';
import type { BodyBudget } from '../guards/body-budget.ts';
import type { ConnectionLimit } from '../guards/connection-limit.ts';
import type { CorsPolicy } from '../guards/cors.ts';
import type { Door, Purpose } from '../guards/door.ts';
import { isSecure } from '../guards/forwarded.ts';
import { framingFault } from '../guards/framing.ts';
import { CHALLENGE, UNAUTHORIZED, type AccessGuard } from '../guards/access.ts';
import { isPermitted, type Principal } from '../guards/principal.ts';
import type { RateLimitGuard } from '../guards/rate-limit.ts';
import { UPGRADE_HEADERS, upgradeFault } from '../guards/upgrade.ts';
import { ClusterRequests } from '../cluster/cluster-requests.ts';
import { OwnerNeededError } from '../cluster/cluster-ports.ts';
import { withoutOwner } from '../cluster/owner-ports.ts';
import type { Contract } from '../openapi/contract.ts';
import type { Bundle } from '../pages/bundle.ts';
import { answerPage, isPage } from '../pages/pages.ts';
import type { Ports } from '../ports.ts';
import { pointedProblem, problemResponse } from '../problems.ts';
import type { AnyReply, Handlers } from '../routes/operation.ts';
import { bindRoutes, type ErasedCall, type Route } from './bind.ts';
import type { BodyReader } from './body.ts';
import { causedBy } from './caused-by.ts';
import { headerValues } from './message.ts';
import { compressed } from './compress.ts';
import { conditional, tagged } from './conditional.ts';
import type { Header, HttpRequest, HttpResponse, RequestHandler } from './message.ts';
import { parseQueryString } from './query-string.ts';
import { refusedBody } from './refused-body.ts';
import { ResponseCache } from './response-cache.ts';
import { requestIdOf } from './request-id.ts';

const API_PREFIX = '/api/v1';

const SECURITY_HEADERS: readonly Header[] = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Referrer-Policy', 'no-referrer'],
];

/** Checks and files that the pipeline uses. */
export interface Guards {
  readonly door: Door;
  readonly access: AccessGuard;
  readonly cors: CorsPolicy;
  /** Returns the client that a request counts for. */
  readonly client: (request: HttpRequest) => string;
  /** Returns the address of the client, for the audit log. */
  readonly address: (request: HttpRequest) => string;
  /** Called for every API request; probes and metrics are not limited. */
  readonly tooMany: RateLimitGuard;
  readonly bodies: BodyBudget;
  readonly connections: Pick<ConnectionLimit, 'refusal'>;
  /** Null if profiling is off (`http.enable_pprof`). */
  readonly profiler: Profiler | null;
  /** Files of the web application; null if it was not built. */
  readonly pages: Bundle | null;
}

export interface Pipeline {
  readonly handle: RequestHandler;
  /** Answers a WebSocket handshake; with 101 if it is accepted. */
  readonly admit: RequestHandler;
  /** Makes the refusal of an invalid request head. `path` is `/` if it is not known. */
  readonly refuseHead: (problem: Problem, path: string) => HttpResponse;
  /**
   * Handles a request that another node of the cluster has received and admitted at its door, as the owner. Must be called
   * while this node serves.
   */
  readonly forwarded: RequestHandler;
}

/** `Retry-After` of a client with too many event connections: they last. */
const RETRY_LATER: readonly Header[] = [['Retry-After', '60']];

/**
 * Creates the request pipeline: id, framing, host and origin, rate limit, credential, cache, route,
 * permission, parameters, content type, body, handler, tag, coding. Each stage up to the handler can end it with a problem. Throws if contract and handlers do not match.
 */
export function createPipeline(
  contract: Contract,
  handlers: Handlers,
  ports: Ports,
  { door, access, cors, client, address, tooMany, bodies, connections, profiler, pages }: Guards,
): Pipeline {
  const router = bindRoutes(contract, handlers);
  const recent = new ResponseCache(ports.commits);
  const { audit } = ports;
  const { cookieName } = ports.auth;
  const { cluster } = ports;
  const nodes =
    cluster === null
      ? null
      : new ClusterRequests(cluster, { router, bodies, client, local, localWithoutOwner });
  const trail = audit === null ? null : new AuditTrail({ audit, access, router, cookieName, address });

  return {
    handle: (request) => {
      const requestId = requestIdOf(request.headers, () => ports.newId());
      if (isPage(request.path)) {
        const answer = refusedAtDoor(request, requestId, 'request') ?? answerPage(pages, request, requestId);
        return withHeaders(answer, commonHeaders(request.path, requestId));
      }
      return settled(request, dispatch(request, requestId), requestId);
    },
    forwarded: (request) => {
      const requestId = requestIdOf(request.headers, () => ports.newId());
      const refusal = tooMany(request);
      const answered =
        refusal === null
          ? (nodes?.asOwner(() => local(request, requestId), requestId) ?? local(request, requestId))
          : problemResponse(refusal.problem, requestId, refusal.headers);
      return settled(request, answered, requestId);
    },
    admit: (request) => {
      const behind = ports.cluster?.untilCurrent() ?? null;
      if (behind === null) return admitNow(request);
      // A session that began on another node must be known here.
      return behind.then(() => respondWhenReadable(() => admitNow(request)));
    },
    refuseHead: (problem, path) => {
      const requestId = ports.newId();
      return withHeaders(problemResponse(problem, requestId, [], true), commonHeaders(path, requestId));
    },
  };

  function admitNow(request: HttpRequest): HttpResponse | Promise<HttpResponse> {
    const requestId = requestIdOf(request.headers, () => ports.newId());
    const refusal = refusedAtDoor(request, requestId, 'upgrade') ?? refusedUpgrade(request, requestId);
    if (refusal !== null) return refuseUpgrade(request, refusal, requestId);
    const principal = access.principalOf(request);
    if (principal === null) return refuseUpgrade(request, unauthorized(requestId), requestId);
    const visitor = { address: client(request), principal, requestId };
    return { status: 101, headers: commonHeaders(request.path, requestId), body: null, visitor };
  }

  /** Records a response in the audit log if it belongs there, and completes it. */
  function settled(
    request: HttpRequest,
    response: HttpResponse | Promise<HttpResponse>,
    requestId: string,
  ): HttpResponse | Promise<HttpResponse> {
    const answered = recorded(request, response, requestId);
    return answered instanceof Promise
      ? answered.then((made) => finish(request, made, requestId))
      : finish(request, answered, requestId);
  }

  /** Records what belongs in the audit log, before the client learns of it. */
  function recorded(
    request: HttpRequest,
    answered: HttpResponse | Promise<HttpResponse>,
    requestId: string,
  ): HttpResponse | Promise<HttpResponse> {
    if (trail === null) return answered;
    const settle = (response: HttpResponse): HttpResponse | Promise<HttpResponse> =>
      response.isForwarded === true ? response : trail.settle(request, response, requestId);
    return answered instanceof Promise ? answered.then(settle) : settle(answered);
  }

  async function refuseUpgrade(
    request: HttpRequest,
    refusal: HttpResponse,
    requestId: string,
  ): Promise<HttpResponse> {
    return await finish(request, await recorded(request, refusal, requestId), requestId);
  }

  /** Rejects requests independently of their target. */
  function refusedAtDoor(request: HttpRequest, requestId: string, purpose: Purpose): HttpResponse | null {
    const fault = framingFault(request.headers);
    if (fault !== null) return problemResponse({ kind: 'bad-request', detail: fault }, requestId, [], true);
    if (ports.isStopping() && !isProbe(request.path))
      return problemResponse({ kind: 'unavailable', detail: 'the service is stopping' }, requestId, [], true);
    const stranger = door.refusal(request, purpose);
    if (stranger !== null) return problemResponse(stranger, requestId);
    if (!isApi(request.path)) return null;
    const refusal = tooMany(request);
    return refusal === null ? null : problemResponse(refusal.problem, requestId, refusal.headers);
  }

  function refusedUpgrade(request: HttpRequest, requestId: string): HttpResponse | null {
    const fault = upgradeFault(request.headers);
    if (fault !== null) {
      const headers = fault.kind === 'upgrade-required' ? UPGRADE_HEADERS : [];
      return problemResponse(fault, requestId, headers);
    }
    const excess = connections.refusal(client(request));
    if (excess === null) return null;
    return problemResponse({ kind: 'too-many-requests', detail: excess }, requestId, RETRY_LATER);
  }

  /** Applies what all responses share: tag, coding, common headers. */
  function finish(
    request: HttpRequest,
    response: HttpResponse,
    requestId: string,
  ): HttpResponse | Promise<HttpResponse> {
    if (response.isForwarded === true) return response;
    const crossOrigin = isPprof(request.path) ? [] : cors.headers(request);
    const common = [...commonHeaders(request.path, requestId), ...crossOrigin];
    const coded = compressed(
      request,
      isApi(request.path) ? conditional(request, tagged(request, response)) : response,
    );
    return coded instanceof Promise
      ? coded.then((given) => withHeaders(given, common))
      : withHeaders(coded, common);
  }

  function dispatch(request: HttpRequest, requestId: string): HttpResponse | Promise<HttpResponse> {
    const refusal = refusedAtDoor(request, requestId, 'request');
    if (refusal !== null) return refusal;

    if (profiler !== null && isPprof(request.path)) return answerPprof(profiler, request, requestId);

    const isOfCluster = isApi(request.path) && request.method !== 'OPTIONS';
    return isOfCluster && nodes !== null ? nodes.handle(request, requestId) : local(request, requestId);
  }

  /** Handles a read on this node while no node owns the cluster. */
  function localWithoutOwner(request: HttpRequest, requestId: string): HttpResponse | Promise<HttpResponse> {
    return local(request, requestId, withoutOwner(ports));
  }

  /** Handles a request on this node. */
  function local(
    request: HttpRequest,
    requestId: string,
    given = ports,
  ): HttpResponse | Promise<HttpResponse> {
    const isRead = isApi(request.path) && request.method === 'GET';
    return isRead
      ? respondWhenReadable(() => answer(request, requestId, given))
      : answer(request, requestId, given);
  }

  /** Answers when everything on disk is readable. */
  function respondWhenReadable(
    answering: () => HttpResponse | Promise<HttpResponse>,
  ): HttpResponse | Promise<HttpResponse> {
    const behind = ports.commits.untilReadable();
    if (behind === null) return answering();
    return behind.then(() => {
      ports.commits.renew();
      return answering();
    });
  }

  function answer(
    request: HttpRequest,
    requestId: string,
    given: Ports,
  ): HttpResponse | Promise<HttpResponse> {
    const refuse = (problem: Problem, headers: readonly Header[] = []): HttpResponse =>
      problemResponse(problem, requestId, headers);

    const sender = access.principalOf(request);
    const target = cacheKey(request, sender);
    const known = request.method === 'GET' && sender !== null ? recent.find(target) : undefined;
    if (known !== undefined) return known;

    const match = router.match(request.method, request.path);
    if (!match.found) {
      const isHidden = sender === null && isApi(request.path) && request.method !== 'OPTIONS';
      return isHidden ? unauthorized(requestId) : withoutRoute(request, match.methods, refuse);
    }
    const permitted = access.permit(sender, match.target.access);
    if (!permitted.ok) {
      return refuse(permitted.problem, permitted.problem.kind === 'unauthorized' ? CHALLENGE : []);
    }
    const principal = permitted.value;

    const query = parseQueryString(request.query);
    if (query === null) return refuse({ kind: 'bad-request', detail: 'the query has a malformed escape' });
    const route = match.target;
    const parameters = route.parameters.read(match.parameters, query, request.headers);
    if (!parameters.ok) return refuse(pointedProblem('bad-request', parameters.errors));

    const call = (body: unknown): ErasedCall => ({
      path: parameters.path,
      query: parameters.query,
      headers: parameters.headers,
      body,
      principal,
      client: () => client(request),
      isSecure: () => isSecure(request),
      allHeaders: () => request.headers,
      ended: () => request.ended(),
    });
    if (route.body !== null) return withBody(request, route, route.body, call, requestId);
    if (request.method !== 'GET')
      return respondWhenReadable(() => run(route, call(undefined), requestId, given));
    const isKept = given === ports && ResponseCache.mayKeep(route.operation);
    if (!isKept || !isPermitted(principal, 'jobs.read')) return run(route, call(undefined), requestId, given);
    const count = recent.begin();
    const made = run(route, call(undefined), requestId);
    if (made instanceof Promise || made.status !== 200 || made.isTransient === true) return made;
    const whole = tagged(request, made);
    recent.keep(target, count, whole);
    return whole;
  }

  function withoutRoute(
    request: HttpRequest,
    methods: readonly string[],
    refuse: (problem: Problem, headers?: readonly Header[]) => HttpResponse,
  ): HttpResponse {
    const path = request.path.slice(0, 200);
    if (methods.length === 0) return refuse({ kind: 'not-found', detail: `no resource at ${path}` });
    const allowed = methods.join(', ');
    const allow: Header = ['Allow', allowed];
    if (request.method === 'OPTIONS') {
      return { status: 204, headers: [allow, ...cors.preflightHeaders(request, allowed)], body: null };
    }
    const detail = `method ${request.method.slice(0, 20)} is not allowed at ${path}; allowed: ${allowed}`;
    return refuse({ kind: 'method-not-allowed', detail }, [allow]);
  }

  async function withBody(
    request: HttpRequest,
    route: Route,
    reader: BodyReader,
    call: (body: unknown) => ErasedCall,
    requestId: string,
  ): Promise<HttpResponse> {
    const mediaType = reader.mediaType(request.headers);
    const hasType = headerValues(request.headers, 'content-type').length > 0;
    if (!mediaType.ok && hasType && reader.isRequired) return problemResponse(mediaType.problem, requestId);
    const share = bodies.open(client(request));
    try {
      const read = await request.readBody(reader.maxBytes, (bytes) => share.grow(bytes));
      if (!read.ok) return refusedBody(read.reason, share, reader, requestId);
      return await withBytes(route, reader, { mediaType, bytes: read.bytes }, call, requestId);
    } finally {
      share.release();
    }
  }

  async function withBytes(
    route: Route,
    reader: BodyReader,
    read: { readonly mediaType: Outcome<string>; readonly bytes: Uint8Array },
    call: (body: unknown) => ErasedCall,
    requestId: string,
  ): Promise<HttpResponse> {
    const { mediaType } = read;
    const isMissing = read.bytes.byteLength === 0;
    if (isMissing && !reader.isRequired)
      return await respondWhenReadable(() => run(route, call(undefined), requestId));
    if (!mediaType.ok) {
      const missing: Problem = { kind: 'bad-request', detail: 'the request has no body' };
      return problemResponse(isMissing ? missing : mediaType.problem, requestId);
    }
    const body = reader.read(mediaType.value, read.bytes);
    if (!body.ok) return problemResponse(body.problem, requestId);
    return await respondWhenReadable(() => run(route, call(body.value), requestId));
  }

  function run(
    route: Route,
    call: ErasedCall,
    requestId: string,
    given = ports,
  ): HttpResponse | Promise<HttpResponse> {
    const noted = (response: HttpResponse, reply: AnyReply | null): HttpResponse =>
      trail === null ? response : withAuditNote(response, route.operation.method, call, reply);
    const respond = (reply: AnyReply): HttpResponse => noted(responseOf(reply, requestId), reply);
    const broken = (error: unknown): HttpResponse => {
      if (error instanceof OwnerNeededError) throw error;
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      ports.log('error', 'a request failed', {
        request_id: requestId,
        operation: route.operation.id,
        error: text,
      });
      const failed = {
        kind: 'internal',
        detail: 'the request failed; the log of the service says why',
      } as const;
      return noted(problemResponse(failed, requestId), null);
    };
    try {
      // Only the log of a cluster records causes.
      const isRecorded = cluster !== null && route.operation.method !== 'GET';
      const origin = { requestId, principal: call.principal.subject };
      const reply = route.handle(call, isRecorded ? causedBy(given, origin) : given);
      return reply instanceof Promise ? reply.then(respond).catch(broken) : respond(reply);
    } catch (error) {
      return broken(error);
    }
  }
}

function responseOf(reply: AnyReply, requestId: string): HttpResponse {
  switch (reply.kind) {
    case 'problem':
      return problemResponse(reply.problem, requestId, reply.headers);
    case 'done':
      return { status: 204, headers: reply.headers ?? [], body: null };
    case 'redirect':
      return {
        status: 303,
        headers: [['Location', reply.location], ...(reply.headers ?? [])],
        // An empty body has a length; without one, the client waits for the end of the connection.
        body: '',
      };
    case 'text':
      return {
        status: 200,
        headers: [['Content-Type', reply.contentType]],
        body: reply.text,
        ...(reply.isTransient === true && { isTransient: true }),
      };
    case 'image':
      return {
        status: 200,
        headers: [
          ['Content-Type', reply.contentType],
          // Pages of other sites must not show it with the session of a user.
          ['Cross-Origin-Resource-Policy', 'same-origin'],
          ...reply.image.headers,
        ],
        body: reply.image.bytes,
      };
    case 'kept-json':
      return {
        status: 200,
        headers: [['Content-Type', 'application/json'], ...reply.json.headers],
        body: reply.json.bytes,
      };
    case 'stream':
      return {
        status: 200,
        headers: [['Content-Type', reply.contentType], ...(reply.headers ?? [])],
        body: reply.pieces,
      };
    case 'json': {
      const location: readonly Header[] = reply.location === undefined ? [] : [['Location', reply.location]];
      return {
        status: reply.status,
        headers: [['Content-Type', 'application/json'], ...location, ...(reply.headers ?? [])],
        body: JSON.stringify(reply.body),
        ...(reply.isTransient === true && { isTransient: true }),
      };
    }
  }
}

const unauthorized = (requestId: string): HttpResponse => problemResponse(UNAUTHORIZED, requestId, CHALLENGE);

/** Principals with different owner scopes get different responses. */
const cacheKey = ({ path, query }: HttpRequest, principal: Principal | null): string =>
  `${path}?${query}\n${principal?.ownerScope ?? ''}`;

/** During a stop, probes still get an answer. */
const isProbe = (path: string): boolean => path === '/readyz' || path === '/healthz' || path === '/metrics';

const isApi = (path: string): boolean => path === API_PREFIX || path.startsWith(`${API_PREFIX}/`);

function commonHeaders(path: string, requestId: string): readonly Header[] {
  return [
    ['X-Request-ID', requestId],
    ...(isApi(path) ? [['X-API-Version', '1'] as const] : []),
    ...SECURITY_HEADERS,
  ];
}

/** Adds headers that the response does not set. A response without cache headers must not be cached. */
function withHeaders(response: HttpResponse, headers: readonly Header[]): HttpResponse {
  const said = new Set(response.headers.map(([name]) => name));
  const others = headers.filter(([name]) => name === 'Vary' || !said.has(name));
  const caches: readonly Header[] = said.has('Cache-Control') ? [] : [['Cache-Control', 'no-store']];
  return { ...response, headers: [...response.headers, ...others, ...caches] };
}
