import { nanoText } from '../../src/core/diagnostics/nano-time.ts';
import type { DiagnosticRecord } from '../../src/core/diagnostics/record.ts';
import type { LogChunk } from '../../src/core/records/log-chunk.ts';
import type { JobEvent } from '../../src/core/wire/events.ts';

/** Payloads of events (docs/contract/events.md#subjects). */

/** Events of a job have no task. */
const NO_TASK = '';

export const jobPayload = ({ job_id, name, owner, queue_id, status, updated_at }: JobEvent): object => ({
  job_id,
  task_id: NO_TASK,
  name,
  owner,
  queue_id,
  status,
  updated_at,
});

/** Returns the owner in a payload of the subject `jobs`; empty for another payload. */
export const ownerOf = (payload: object): string =>
  'owner' in payload && typeof payload.owner === 'string' ? payload.owner : '';

export const logPayload = ({ taskId, attemptId, seqNum, stream, data, at }: LogChunk): object => ({
  task_id: taskId,
  attempt_id: attemptId,
  seq_num: seqNum,
  stream,
  data,
  at,
});

/** `weight` is the length of its texts. */
export function diagnosticPayload({ component, level, msg, attrs, at }: DiagnosticRecord): {
  readonly payload: object;
  readonly weight: number;
} {
  const entries = Object.entries(attrs);
  const weight = entries.reduce((sum, [name, value]) => sum + name.length + value.length, msg.length);
  const payload = { component, level, msg, ...(entries.length > 0 && { attrs }), at: nanoText(at) };
  return { payload, weight };
}
