import { stepIdOf } from '../../src/core/ids.ts';
import { chunkSizeOf, chunksSentence, secondsPerItem } from '../../src/core/lifecycle/chunk-sizes.ts';
import type { AttemptTimes, StepChunks, StepRecord } from '../../src/core/records/step.ts';
import { raisedAmountView } from './retry-rules-view.ts';
import type { Schemas } from './schemas.ts';
import { timestampOf } from '../../src/core/timestamp.ts';

const SECOND_MS = 1000;

/** docs/contract/resources.md#step. `steps` are all steps of the job, in order. */
export function stepView(
  step: StepRecord,
  steps: readonly StepRecord[],
  waitingReason: string | null,
): Schemas['Step'] {
  const dependsOn = step.dependsOn.flatMap((order) => steps[order]?.name ?? []);
  return {
    id: stepIdOf(step.jobId, step.order),
    job_id: step.jobId,
    name: step.name,
    order: step.order,
    status: step.status,
    ...(step.computeLocation !== '' && { compute_location: step.computeLocation }),
    ...(dependsOn.length > 0 && { depends_on: dependsOn }),
    task_counts: step.taskCounts,
    ...(step.attemptTimes !== undefined && { attempt_seconds: secondsView(step.attemptTimes) }),
    ...(step.hold !== undefined && { hold: { ...step.hold, at: timestampOf(step.hold.at) } }),
    ...(waitingReason !== null && { waiting_reason: waitingReason }),
    ...(step.raised !== undefined && { raised_amounts: step.raised.map(raisedAmountView) }),
    ...(step.chunks !== undefined && { chunks: chunksView(step.chunks) }),
    created_at: timestampOf(step.createdAt),
    updated_at: timestampOf(step.updatedAt),
  };
}

const secondsView = ({ count, totalMs }: AttemptTimes): Schemas['AttemptSeconds'] => ({
  count,
  mean: Math.round(totalMs / count) / SECOND_MS,
});

function chunksView(chunks: StepChunks): Schemas['StepChunks'] {
  const seconds = secondsPerItem(chunks);
  const size = chunkSizeOf(chunks);
  return {
    parameter: chunks.parameter,
    size,
    default_size: chunks.sections[0]?.size ?? size,
    target_seconds: chunks.targetSeconds,
    changes: chunks.changes,
    measured_tasks: chunks.measured.length,
    ...(seconds !== null && { seconds_per_value: Math.round(seconds * SECOND_MS) / SECOND_MS }),
    sentence: chunksSentence(chunks),
  };
}
