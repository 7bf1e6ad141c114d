import { stepIdOf } from '../../src/core/ids.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { doubtsOf, oddsInStep } from '../../src/core/quarantine/verdict.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { Doubt, WorkerEvidenceRecord } from '../../src/core/records/worker-evidence.ts';
import { timestampOf } from '../../src/core/timestamp.ts';
import type { Schemas } from './schemas.ts';
import type { VisibleJobs } from './visible-jobs.ts';

/** Returns what a worker is kept from, and why (docs/quarantine.md). */
export const doubtView = ({ kind, since, reason }: Doubt): Schemas['WorkerDoubt'] => ({
  kind,
  since: timestampOf(since),
  reason,
});

/** Returns the quarantine of a worker, or the suspicion about it, as a whole; empty if there is none. */
export function wholeDoubtView(
  evidence: WorkerEvidenceRecord | undefined,
  now: number,
): Pick<Schemas['Worker'], 'quarantine'> {
  if (evidence === undefined) return {};
  const { whole } = doubtsOf(evidence, now);
  if (whole === null) return {};
  const version = evidence.quarantine?.policyVersion;
  return { quarantine: { ...doubtView(whole), ...(version !== undefined && { policy_version: version }) } };
}

/** Returns the evidence about a worker by step, latest first, without that of jobs that the reader may not see. */
export function evidenceView(
  store: StoreReader,
  evidence: WorkerEvidenceRecord | undefined,
  { has, isEveryone }: VisibleJobs,
  now: number,
): Schemas['WorkerStepEvidence'][] {
  if (evidence === undefined) return [];
  const doubts = doubtsOf(evidence, now).steps;
  return evidence.steps.toReversed().flatMap((step) => {
    const { jobId, stepOrder, others } = step;
    const job = store.get('job', keys.job(jobId));
    if (job === undefined || !(isEveryone || has(jobId))) return [];
    const doubt = doubts.find((each) => each.jobId === jobId && each.stepOrder === stepOrder);
    const version = step.quarantine?.policyVersion;
    return {
      job_id: jobId,
      job_name: job.name,
      step_id: stepIdOf(jobId, stepOrder),
      step_name: store.get('step', keys.step(jobId, stepOrder))?.name ?? '',
      failed_open: step.open,
      failed_only_here: step.elsewhere,
      failed_everywhere: step.everywhere,
      succeeded: step.successes,
      others_failed: others.failed,
      others_succeeded: others.succeeded,
      odds: Math.round(oddsInStep(step, 'known') * 100) / 100,
      last_at: timestampOf(step.lastAt),
      ...(doubt !== undefined && {
        quarantine: { ...doubtView(doubt), ...(version !== undefined && { policy_version: version }) },
      }),
    };
  });
}
