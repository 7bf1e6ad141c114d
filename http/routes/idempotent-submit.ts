import { createHash } from 'node:crypto';
import { isInScope } from '../../src/core/access/owner-scope.ts';
import { effectiveRetry } from '../../src/core/lifecycle/retry-policy.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { IDEMPOTENCY_KEY_MS, type IdempotencyKeyRecord } from '../../src/core/records/idempotency-key.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { Principal } from '../guards/principal.ts';
import type { Ports } from '../ports.ts';
import { jobView } from '../views/job-view.ts';
import type { Schemas } from '../views/schemas.ts';
import { problem, type Call, type Reply } from './operation.ts';
import type { IdempotencyKeyRow } from '../../actors/service/job/messages.ts';

export type SubmitReply = Reply<'submitJob'>;

/** Operations that create a job. */
export type SubmitOperation = 'submitJob' | 'submitProductJob' | 'cloneJob';

/** Creates the job, and with it the row of the key if there is one. */
type Submit<Op extends SubmitOperation> = (
  call: Call<Op>,
  ports: Ports,
  once: IdempotencyKeyRow | null,
) => Promise<SubmitReply>;

/**
 * Makes submissions repeatable with the same `Idempotency-Key` (docs/decisions/idempotency.md). The key is written
 * together with the job. Until then this process, the only one that accepts requests for the store, keeps the key in
 * memory. `fingerprintOf` returns the same text for the same request.
 */
export function submitIdempotently<Op extends SubmitOperation>(
  submit: Submit<Op>,
  fingerprintOf: (call: Call<Op>) => string,
): (call: Call<Op>, ports: Ports) => Promise<SubmitReply> {
  const atWork = new Set<string>();
  return async (call, ports) => {
    const key = keyOf(call.headers);
    if (key === undefined) return submit(call, ports, null);
    const digest = digestOf([call.principal.subject, key]);
    const fingerprint = fingerprintOf(call);
    if (atWork.has(digest)) {
      return problem('conflict', 'a request with this Idempotency-Key is still in progress; retry later');
    }
    const now = ports.now();
    const known = recordOf(ports.store, digest, now);
    if (known !== undefined) return repeated(known, fingerprint, call.principal);
    atWork.add(digest);
    try {
      const rowKey = keys.idempotencyKey(now, digest);
      return await submit(call, ports, { rowKey, fingerprint, expiresAt: now + IDEMPOTENCY_KEY_MS });
    } finally {
      atWork.delete(digest);
    }
  };
}

/** The generated type of the headers is not a union that can be indexed. */
const keyOf = (headers: { readonly 'Idempotency-Key'?: string }): string | undefined =>
  headers['Idempotency-Key'];

/** Returns the reply to a submission that has created a job. */
export const created = (job: Schemas['Job']): SubmitReply & { readonly kind: 'json' } => ({
  kind: 'json',
  status: 201,
  body: job,
  location: `/api/v1/jobs/${job.id}`,
});

/** Returns the first reply again, or why this request gets none: the role may have changed since the first one. */
function repeated(
  { job, inherited, fingerprint }: IdempotencyKeyRecord,
  given: string,
  { ownerScope }: Principal,
): SubmitReply {
  if (fingerprint !== given) {
    return problem(
      'unprocessable',
      'this Idempotency-Key was already used with a different request; use a new key',
    );
  }
  if (!isInScope(ownerScope, job.owner))
    return problem('forbidden', 'the job of this Idempotency-Key belongs to another user');
  const view = jobView(job, effectiveRetry(inherited, {}, {}, job.retry));
  return { ...created(view), headers: [['Idempotency-Replayed', 'true']] };
}

function recordOf(store: StoreReader, digest: string, now: number): IdempotencyKeyRecord | undefined {
  return [keys.idempotencyKey(now, digest), keys.idempotencyKeyBefore(now, digest)]
    .map((key) => store.get('idempotencyKey', key))
    .find((record) => record !== undefined && record.expiresAt > now);
}

/**
 * Returns the fingerprint of a request whose body has the settings and parameters of a job: the same for the same
 * request, in any order of its members. `kind` and `name` tell what the job is made from.
 */
export function bodyFingerprint(
  kind: string,
  name: string,
  { parameters = {}, ...rest }: { readonly parameters?: Readonly<Record<string, string>> },
): string {
  const sorted = [rest, parameters].map((members) =>
    Object.entries(members).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
  );
  return digestOf([kind, name, JSON.stringify(sorted)]);
}

/** Hashes several texts without ambiguity between them. */
export function digestOf(texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${Buffer.byteLength(text)} `).update(text);
  return hash.digest('hex');
}
