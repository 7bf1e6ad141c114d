import type { AuditRequestOutcome } from '../../src/core/records/audit-entry.ts';
import { cookieValue } from '../accounts/session-cookie.ts';
import { UNAUTHORIZED, type AccessGuard } from '../guards/access.ts';
import { headerValues, type HttpRequest, type HttpResponse } from '../pipeline/message.ts';
import type { Route } from '../pipeline/bind.ts';
import type { Router } from '../pipeline/router.ts';
import { problemResponse } from '../problems.ts';
import {
  actorOf,
  PATH_LENGTH_MAX,
  REASON_LENGTH_MAX,
  TARGET_LENGTH_MAX,
  type Audit,
  type AuditInput,
} from './audit.ts';

const METHOD_LENGTH_MAX = 20;

/** Parts of the pipeline that the trail uses. */
export interface TrailParts {
  readonly audit: Audit;
  readonly access: Pick<AccessGuard, 'principalOf'>;
  readonly router: Router<Route>;
  /** Name of the session cookie. */
  readonly cookieName: string;
  /** Returns the address of the client. */
  readonly address: (request: HttpRequest) => string;
}

/** Passes responses on and records those that belong in the audit log (docs/audit.md). */
export class AuditTrail {
  readonly #parts: TrailParts;

  constructor(parts: TrailParts) {
    this.#parts = parts;
  }

  /**
   * Returns the response to the client. That of a change waits until its entry is on disk, and becomes 500 if it cannot
   * be stored. Denied requests, and failures of unknown senders, are recorded without waiting.
   */
  settle(
    request: HttpRequest,
    response: HttpResponse,
    requestId: string,
  ): HttpResponse | Promise<HttpResponse> {
    const outcome = outcomeOf(response);
    if (outcome === null) return response;
    const event = this.#eventOf(request, response, outcome, requestId);
    if (outcome === 'changed' || (outcome === 'failed' && event.actorId !== null))
      return this.#whenRecorded(event, response);
    this.#parts.audit.recordLater(event);
    return response;
  }

  async #whenRecorded(event: AuditInput, response: HttpResponse): Promise<HttpResponse> {
    if (await this.#parts.audit.record(event)) return response;
    const detail = `the request was carried out with status ${response.status}, but could not be recorded in the audit log`;
    return problemResponse({ kind: 'internal', detail }, event.requestId);
  }

  #eventOf(
    request: HttpRequest,
    response: HttpResponse,
    outcome: AuditRequestOutcome,
    requestId: string,
  ): AuditInput {
    const { access, router, address } = this.#parts;
    const match = router.match(request.method, request.path);
    const note = response.audit;
    const sender = note === undefined ? access.principalOf(request) : null;
    const named = match.found ? [...match.parameters.values()] : [];
    const { actor, actorId } = note ?? (sender === null ? { actor: '', actorId: null } : actorOf(sender));
    return {
      actor,
      actorId,
      targets: note?.targets ?? named.map((target) => target.slice(0, TARGET_LENGTH_MAX)),
      targetCount: note?.targetCount ?? named.length,
      method: request.method.slice(0, METHOD_LENGTH_MAX),
      path: request.path.slice(0, PATH_LENGTH_MAX),
      operation: match.found ? match.target.operation.id : null,
      permission: match.found ? match.target.access : '',
      status: response.status,
      outcome,
      reason: outcome === 'denied' ? this.#reasonOf(request, response) : (note?.reason ?? null),
      requestId,
      remoteAddress: address(request),
    };
  }

  #reasonOf(request: HttpRequest, { problemDetail = '' }: HttpResponse): string {
    if (problemDetail !== UNAUTHORIZED.detail) return problemDetail.slice(0, REASON_LENGTH_MAX);
    if (headerValues(request.headers, 'authorization').length > 0) return 'the API key was rejected';
    const hasSession = cookieValue(request.headers, this.#parts.cookieName) !== null;
    return hasSession ? 'the session was rejected' : 'there was no credential';
  }
}

/** Returns the outcome of a response; null if it is not recorded. */
function outcomeOf({ status, audit }: HttpResponse): AuditRequestOutcome | null {
  if (status === 401 || status === 403 || audit?.isDenied === true) return 'denied';
  if (audit?.isChange !== true) return null;
  return status < 400 ? 'changed' : 'failed';
}
