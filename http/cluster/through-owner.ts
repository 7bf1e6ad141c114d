import type { ForwardedRequest, ForwardedResponse } from '../../src/core/cluster/forwarded-http.ts';
import type { Problem } from '../../src/core/problems.ts';
import type { HttpRequest, HttpResponse } from '../pipeline/message.ts';
import { headerValues, type Header } from '../pipeline/message.ts';
import type { Operation } from '../openapi/contract.ts';
import { OwnerNeededError, type ClusterPorts } from './cluster-ports.ts';

/** Time that a request waits for an owner: a takeover takes 2 to 4 s, with an election of the stream's leader up to 12 s. */
export const OWNER_WAIT_MS = 12_000;
const AGAIN_MS = 100;

/** `Retry-After` of a request that found no owner. */
export const OWNER_RETRY: readonly Header[] = [['Retry-After', '2']];

/** Result of a request that only the owner can handle. */
export type OwnersAnswer =
  | { readonly kind: 'answered'; readonly response: HttpResponse }
  | { readonly kind: 'problem'; readonly problem: Problem };

interface Sent {
  readonly request: ForwardedRequest;
  /** Whether the owner may carry it out twice with the result of one time. */
  readonly isRepeatable: boolean;
  readonly ended: AbortSignal;
  /** Time to wait for an owner. */
  readonly waitMs: number;
  /** Handles the request on this node, which serves now. */
  readonly here: () => HttpResponse | Promise<HttpResponse>;
}

/**
 * Has a request handled by the owner: this node, or another one. Waits for an owner while there is none. A request without
 * an answer is sent again only if it is repeatable.
 */
export async function throughOwner(
  cluster: Pick<ClusterPorts, 'isServing' | 'forward' | 'pause' | 'count'>,
  { request, isRepeatable, ended, waitMs, here }: Sent,
): Promise<OwnersAnswer> {
  let reason = 'no node owns the cluster now';
  for (let waitedMs = 0; waitedMs <= waitMs && !ended.aborted; waitedMs += AGAIN_MS) {
    if (cluster.isServing()) return { kind: 'answered', response: await here() };
    const outcome = await cluster.forward(request);
    if (outcome.kind === 'answered') {
      cluster.count('forwarded');
      return { kind: 'answered', response: passedOn(outcome.response) };
    }
    if (outcome.kind === 'refused') ({ reason } = outcome);
    else if (!isRepeatable) return { kind: 'problem', problem: UNKNOWN_OUTCOME };
    await cluster.pause(AGAIN_MS);
  }
  return {
    kind: 'problem',
    problem: { kind: 'unavailable', detail: `${reason}; try again in some seconds` },
  };
}

/** Status of a request that found no owner. */
export const OWNERLESS_STATUS = 503;

/** Returns null if the handler of a request needs the owner. */
export async function unlessOwnerNeeded(
  handle: () => HttpResponse | Promise<HttpResponse>,
): Promise<HttpResponse | null> {
  try {
    return await handle();
  } catch (error) {
    if (error instanceof OwnerNeededError) return null;
    throw error;
  }
}

export const UNKNOWN_OUTCOME: Problem = {
  kind: 'unavailable',
  detail:
    'the owner of the cluster did not answer, and it is not known whether the request was carried out; read the state before you send it again',
};

const passedOn = ({ status, headers, body }: ForwardedResponse): HttpResponse => ({
  status,
  headers,
  body,
  isForwarded: true,
});

/**
 * Reports whether a request can be carried out twice: it only reads, replaces or deletes, or has an idempotency key that its
 * operation knows. A condition (`If-Match`) would refuse its own repetition.
 */
export function isRepeatable({ method, headers }: HttpRequest, operation: Operation): boolean {
  if (method === 'GET' || method === 'HEAD') return true;
  const isConditional = headerValues(headers, 'if-match').length > 0;
  if (method === 'PUT' || method === 'DELETE') return !isConditional;
  const takesKey = operation.parameters.some(
    (parameter) => parameter.in === 'header' && parameter.name.toLowerCase() === 'idempotency-key',
  );
  return takesKey && headerValues(headers, 'idempotency-key').length > 0;
}

/** Reads that begin or end something in the memory of the owner: no other node may begin them. */
const OWNERS_READS: ReadonlySet<string> = new Set(['beginOidcLogin', 'finishOidcLogin']);

export const isOwnersRead = ({ id }: Pick<Operation, 'id'>): boolean => OWNERS_READS.has(id);

/** Returns a forwarded request as the pipeline handles requests. */
export function receivedRequest(
  { body, ...head }: ForwardedRequest,
  ended: AbortSignal = new AbortController().signal,
): HttpRequest {
  return {
    ...head,
    readBody: (maxBytes, grow) => {
      if (body.length > maxBytes) return Promise.resolve({ ok: false, reason: 'too-large' });
      if (!grow(body.length)) return Promise.resolve({ ok: false, reason: 'no-memory' });
      return Promise.resolve({ ok: true, bytes: body });
    },
    ended: () => ended,
  };
}

/** Returns a response with all of its body, for another node. */
export async function wholeResponse({ status, headers, body }: HttpResponse): Promise<ForwardedResponse> {
  if (body === null || body instanceof Uint8Array) return { status, headers, body };
  if (typeof body === 'string') return { status, headers, body: Buffer.from(body) };
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(Buffer.from(piece));
  return { status, headers, body: Buffer.concat(pieces) };
}
