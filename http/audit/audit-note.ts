import { AUDIT_TARGETS_MAX } from '../../src/core/records/audit-entry.ts';
import type { ErasedCall } from '../pipeline/bind.ts';
import type { HttpResponse } from '../pipeline/message.ts';
import type { AnyReply } from '../routes/operation.ts';
import { actorOf, REASON_LENGTH_MAX, TARGET_LENGTH_MAX } from './audit.ts';

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Adds to a response what the audit log must know of it. A request with an unsafe method is a change, except a dry run;
 * one with a safe method is none, except a sign-in. `reply` is null if the handler has failed with an error.
 */
export function withAuditNote(
  response: HttpResponse,
  method: string,
  call: ErasedCall,
  reply: AnyReply | null,
): HttpResponse {
  const hints = reply !== null && 'audit' in reply ? reply.audit : undefined;
  const isSafe = SAFE_METHODS.has(method);
  if (isSafe && hints === undefined && response.status < 400) return response;
  const targets = targetsOf(call, reply);
  const audit = {
    ...(hints ?? actorOf(call.principal)),
    isChange: hints !== undefined || (!isSafe && !isDryRun(call)),
    targets: targets.slice(0, AUDIT_TARGETS_MAX).map((target) => target.slice(0, TARGET_LENGTH_MAX)),
    targetCount: targets.length,
    reason: givenReason(call),
  };
  return { ...response, audit };
}

/** Returns the member `reason` of the body: why the user makes the change. */
function givenReason({ body }: ErasedCall): string | null {
  if (typeof body !== 'object' || body === null || !('reason' in body)) return null;
  const { reason } = body;
  return typeof reason === 'string' && reason !== '' ? reason.slice(0, REASON_LENGTH_MAX) : null;
}

const isDryRun = ({ query }: ErasedCall): boolean => 'dry_run' in query && query.dry_run === true;

/** Returns the ids that a reply or the path names: the items of a bulk request that have changed, or the new resource. */
function targetsOf(call: ErasedCall, reply: AnyReply | null): readonly string[] {
  if (reply?.kind === 'json' && 'results' in reply.body)
    return reply.body.results.filter(({ changed }) => changed).map(({ id }) => id);
  const named = Object.values<unknown>({ ...call.path }).filter((value) => typeof value === 'string');
  const isNew = reply?.kind === 'json' && reply.status === 201;
  return isNew && 'id' in reply.body && typeof reply.body.id === 'string' ? [...named, reply.body.id] : named;
}
