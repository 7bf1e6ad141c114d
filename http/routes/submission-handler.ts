import type { Ports } from '../ports.ts';
import { createJob, previewOfJob, type JobRequest } from './create-job.ts';
import { submitIdempotently, type SubmitOperation, type SubmitReply } from './idempotent-submit.ts';
import type { Call, ProblemReply } from './operation.ts';

/**
 * Returns the handler of an operation that creates a job from the request that `requestOf` makes of a call. With the same
 * `Idempotency-Key` it creates one job (see `submitIdempotently`); a dry run differs only in its last step.
 */
export function submissionHandler<Op extends SubmitOperation>(
  requestOf: (call: Call<Op>, ports: Ports) => JobRequest | ProblemReply | Promise<JobRequest | ProblemReply>,
  fingerprintOf: (call: Call<Op>) => string,
): (call: Call<Op>, ports: Ports) => Promise<SubmitReply> {
  const submitted = submitIdempotently<Op>(async (call, ports, once) => {
    const request = await requestOf(call, ports);
    return 'kind' in request ? request : createJob(request, ports, once);
  }, fingerprintOf);
  return async (call, ports) => {
    if (!isDryRun(call.query)) return submitted(call, ports);
    const request = await requestOf(call, ports);
    return 'kind' in request ? request : previewOfJob(request, ports);
  };
}

/** The generated type of the query is not a union that can be indexed. */
const isDryRun = (query: { readonly dry_run?: boolean | undefined }): boolean => query.dry_run === true;
