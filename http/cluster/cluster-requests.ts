import type { BodyBudget } from '../guards/body-budget.ts';
import type { Route } from '../pipeline/bind.ts';
import type { Header, HttpRequest, HttpResponse } from '../pipeline/message.ts';
import { refusedBody } from '../pipeline/refused-body.ts';
import type { Router } from '../pipeline/router.ts';
import { problemResponse } from '../problems.ts';
import type { ClusterPorts } from './cluster-ports.ts';
import {
  isOwnersRead,
  isRepeatable,
  OWNER_RETRY,
  OWNER_WAIT_MS,
  OWNERLESS_STATUS,
  receivedRequest,
  throughOwner,
  UNKNOWN_OUTCOME,
  unlessOwnerNeeded,
} from './through-owner.ts';

/** Marks a read of a node that may be behind what the client has received elsewhere. */
const STALE: Header = ['Callsheet-Stale', 'true'];

/** Time that a read waits for an owner if this node can answer without one. */
const READ_WAIT_MS = 3000;

/** Time that a response of an owner waits for its lease. */
const LEASE_WAIT_MS = 3000;
const LEASE_AGAIN_MS = 50;

type Local = (request: HttpRequest, requestId: string) => HttpResponse | Promise<HttpResponse>;

/** Parts of the pipeline that requests of a cluster use. */
interface RequestParts {
  readonly router: Router<Route>;
  readonly bodies: BodyBudget;
  /** Returns the client that a request counts for. */
  readonly client: (request: HttpRequest) => string;
  /** Handles a request on this node. Throws `OwnerNeededError` if it cannot. */
  readonly local: Local;
  /** The same while no node owns the cluster: schedulers do not answer. */
  readonly localWithoutOwner: Local;
}

/** Decides where a request to a node of a cluster is handled (docs/decisions/any-node-serves.md). */
export class ClusterRequests {
  readonly #cluster: ClusterPorts;
  readonly #parts: RequestParts;

  constructor(cluster: ClusterPorts, parts: RequestParts) {
    this.#cluster = cluster;
    this.#parts = parts;
  }

  /** Handles a request of a client: a read here if it is possible, everything else on the owner. */
  handle(request: HttpRequest, requestId: string): HttpResponse | Promise<HttpResponse> {
    const match = this.#parts.router.match(request.method, request.path);
    if (!match.found) return this.#parts.local(request, requestId);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && !isOwnersRead(match.target.operation))
      return this.#readHere(request, match.target, requestId);
    if (this.#cluster.isServing())
      return this.asOwner(() => this.#parts.local(request, requestId), requestId);
    return this.#onOwner(request, match.target, requestId, OWNER_WAIT_MS);
  }

  /**
   * Answers a read when this node is current. What it cannot know is read on the owner; without an owner the answer has what this
   * node knows, and is marked.
   */
  async #readHere(request: HttpRequest, route: Route, requestId: string): Promise<HttpResponse> {
    if ((await this.#cluster.untilCurrent()) ?? true) {
      const response = await unlessOwnerNeeded(() => this.#parts.local(request, requestId));
      if (response !== null) return response;
      const passedOn = await this.#onOwner(request, route, requestId, READ_WAIT_MS);
      if (passedOn.status !== OWNERLESS_STATUS) return passedOn;
    }
    const response = await unlessOwnerNeeded(() => this.#parts.localWithoutOwner(request, requestId));
    if (response === null) return await this.#onOwner(request, route, requestId, OWNER_WAIT_MS);
    this.#cluster.count('stale');
    return { ...response, headers: [...response.headers, STALE] };
  }

  /** Has a request handled by the owner, with its body. */
  async #onOwner(
    request: HttpRequest,
    route: Route,
    requestId: string,
    waitMs: number,
  ): Promise<HttpResponse> {
    const { bodies, client } = this.#parts;
    const share = bodies.open(client(request));
    try {
      let body: Uint8Array = new Uint8Array();
      if (route.body !== null) {
        const read = await request.readBody(route.body.maxBytes, (bytes) => share.grow(bytes));
        if (!read.ok) return refusedBody(read.reason, share, route.body, requestId);
        body = read.bytes;
      }
      const { method, path, query, remoteAddress } = request;
      const others = request.headers.filter(([name]) => name !== 'x-request-id');
      const headers: readonly Header[] = [...others, ['x-request-id', requestId]];
      const sent = { method, path, query, remoteAddress, headers, body };
      const answer = await throughOwner(this.#cluster, {
        request: sent,
        isRepeatable: isRepeatable(request, route.operation),
        ended: request.ended(),
        waitMs,
        here: () => {
          share.release();
          return this.asOwner(
            () => this.#parts.local(receivedRequest(sent, request.ended()), requestId),
            requestId,
          );
        },
      });
      if (answer.kind === 'answered') return answer.response;
      return problemResponse(answer.problem, requestId, OWNER_RETRY);
    } finally {
      share.release();
    }
  }

  /**
   * Handles a request with the actors of this node, which owns the cluster. A response that was made without a lease waits for
   * one: another node may own the cluster by then, and this one must not send what it believes.
   */
  async asOwner(
    handle: () => HttpResponse | Promise<HttpResponse>,
    requestId: string,
  ): Promise<HttpResponse> {
    const response = await this.#beforeSilence(handle);
    for (let waitedMs = 0; waitedMs < LEASE_WAIT_MS && !this.#cluster.isServing(); waitedMs += LEASE_AGAIN_MS)
      await this.#cluster.pause(LEASE_AGAIN_MS);
    return response !== null && this.#cluster.isServing()
      ? response
      : problemResponse(UNKNOWN_OUTCOME, requestId, OWNER_RETRY);
  }

  /** Resolves with null when the node has stopped to serve for some seconds before the response is made. */
  #beforeSilence(handle: () => HttpResponse | Promise<HttpResponse>): Promise<HttpResponse | null> {
    return new Promise((resolve, reject) => {
      const end = this.#cluster.onSilence(() => resolve(null));
      // At once: the body can be read in this turn only.
      const made = (async () => await handle())();
      void made.then(resolve, reject).finally(end);
    });
  }
}
