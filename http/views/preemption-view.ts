import { stepIdOf, type JobId } from '../../src/core/ids.ts';
import { preemptionSentence, type Preemption } from '../../src/core/records/preemption.ts';
import type { Schemas } from './schemas.ts';

const SECOND_MS = 1000;

/** Returns why an attempt was taken back. The job that waited is left out if the reader may not see it. */
export const preemptionView = (
  preemption: Preemption,
  isVisible: (job: JobId) => boolean,
): Schemas['Preemption'] => ({
  queue_id: preemption.queueId,
  queue: preemption.queue,
  ...(isVisible(preemption.jobId) && {
    job_id: preemption.jobId,
    step_id: stepIdOf(preemption.jobId, preemption.stepOrder),
  }),
  waited_seconds: Math.floor(preemption.waitedMs / SECOND_MS),
  after_seconds: preemption.afterSeconds,
  ...(preemption.policyVersion !== undefined && { policy_version: preemption.policyVersion }),
  sentence: preemptionSentence(preemption),
});
