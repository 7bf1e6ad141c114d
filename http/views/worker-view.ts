import { parseAttemptId, stepIdOf } from '../../src/core/ids.ts';
import { reasonText } from '../../src/core/explain/share-text.ts';
import type { Names } from '../../src/core/explain/task-facts.ts';
import { failingJobsOf } from '../../src/core/lifecycle/failure-tallies.ts';
import { bookedOn, gpusBookedBy } from '../../src/core/lease/booked-on-worker.ts';
import type { FarmRecord } from '../../src/core/records/farm.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { WorkerFailuresRecord } from '../../src/core/records/step-failures.ts';
import { SETTINGS, versionOf } from '../../src/core/records/settings-version.ts';
import {
  heldBookings,
  type Booking,
  type BookingRecord,
  type WorkerDisabling,
  type WorkerRecord,
} from '../../src/core/records/worker.ts';
import type { WorkerCredentialRecord } from '../../src/core/records/worker-credential.ts';
import type { Schemas } from './schemas.ts';
import type { VisibleJobs } from './visible-jobs.ts';
import { wholeDoubtView } from './quarantine-view.ts';
import type { WorkerEvidenceRecord } from '../../src/core/records/worker-evidence.ts';
import { workerCredentialView } from './worker-token-view.ts';
import { keys } from '../../src/core/records/tables.ts';
import { timestampOf } from '../../src/core/timestamp.ts';

/** Tasks and failures of a worker, as far as the reader may see them. */
export interface VisibleWork {
  readonly bookings: BookingRecord['bookings'];
  readonly failures: WorkerFailuresRecord['steps'];
  /** All failures since the registration, or those in `failures` if the reader may not see all jobs. */
  readonly failedAttempts: number;
}

/** Selects the tasks and failures of visible jobs (docs/contract/authentication.md#owner-scope). */
export function visibleWork(
  booking: BookingRecord | undefined,
  failures: WorkerFailuresRecord | undefined,
  { isEveryone, has }: VisibleJobs,
): VisibleWork {
  const bookings = booking?.bookings ?? [];
  const steps = failures?.steps ?? [];
  if (isEveryone) return { bookings, failures: steps, failedAttempts: failures?.total ?? 0 };
  const visible = steps.filter(({ jobId }) => has(jobId));
  return {
    bookings: bookings.filter(({ attemptId }) => {
      const address = parseAttemptId(attemptId);
      return address !== null && has(address.jobId);
    }),
    failures: visible,
    failedAttempts: visible.reduce((sum, { failures: some }) => sum + some, 0),
  };
}

const disablingView = ({
  by,
  reason,
  at,
  stopsTasks,
  until,
}: WorkerDisabling): Schemas['WorkerDisabling'] => ({
  by,
  reason,
  at: timestampOf(at),
  mode: stopsTasks ? 'now' : 'after-tasks',
  ...(until !== undefined && { until: timestampOf(until) }),
});

/** docs/contract/resources.md#worker. Booked cores and amounts are those of all jobs. `now`: milliseconds since the epoch. */
export function workerView(
  worker: WorkerRecord,
  farm: FarmRecord | undefined,
  booking: BookingRecord | undefined,
  work: VisibleWork,
  credential: WorkerCredentialRecord | undefined,
  evidence: WorkerEvidenceRecord | undefined,
  now: number,
): Schemas['Worker'] {
  const bookings = booking === undefined ? [] : heldBookings(booking);
  const { status, disabling = null } = worker;
  const failingJobs = status === 'disabled' ? null : failingJobsOf(work.failures, now);
  return {
    id: worker.id,
    name: worker.name,
    hostname: worker.hostname,
    farm_id: worker.farmId,
    status: worker.status,
    compute_location: worker.computeLocation,
    cpu_count: worker.cpuCount,
    committed_cores: bookings.reduce((cores, held) => cores + held.cores, 0),
    booked_amounts: bookedOn(worker, bookings, farm?.bookedAmounts),
    booked_gpus: gpusBookedBy(bookings),
    custom_amounts: worker.customAmounts ?? {},
    current_task_count: work.bookings.length,
    ...(status === 'disabled' && disabling !== null && { disabled: disablingView(disabling) }),
    ...(failingJobs !== null && { failing_jobs: failingJobs }),
    ...wholeDoubtView(evidence, now),
    ...(worker.draining === true && worker.status === 'online' ? { draining: true } : {}),
    memory_mib: worker.memoryMib,
    gpu_count: worker.hardware?.gpuCount ?? 0,
    gpu_memory_mib: worker.hardware?.gpuMemoryMib ?? 0,
    gpu_models: worker.hardware?.gpuModels ?? [],
    scratch_mib: worker.hardware?.scratchMib ?? 0,
    os: worker.os,
    os_version: worker.hardware?.osVersion ?? '',
    isolation: worker.hardware?.isolation ?? [],
    extensions: worker.hardware?.extensions ?? [],
    arch: worker.arch,
    version: worker.softwareVersion,
    settings_version: versionOf(SETTINGS.worker(worker)),
    queue_ids: worker.queueIds,
    tags: worker.tags,
    last_heartbeat_at: timestampOf(worker.lastHeartbeatAt),
    registered_at: timestampOf(worker.registeredAt),
    failed_attempts: work.failedAttempts,
    credential: credential === undefined ? null : workerCredentialView(credential),
  };
}

/** Returns the failures on a worker by step, latest first, without those of deleted jobs. */
export const stepFailuresView = (
  store: StoreReader,
  steps: WorkerFailuresRecord['steps'],
): Schemas['WorkerStepFailures'][] =>
  steps.toReversed().flatMap(({ jobId, stepOrder, failures, lastAt }) => {
    const job = store.get('job', keys.job(jobId));
    if (job === undefined) return [];
    return {
      job_id: jobId,
      job_name: job.name,
      step_id: stepIdOf(jobId, stepOrder),
      step_name: store.get('step', keys.step(jobId, stepOrder))?.name ?? '',
      failures,
      last_at: timestampOf(lastAt),
    };
  });

/** Returns what each attempt holds of a worker. */
export const bookingViews = (bookings: readonly Booking[], names: Names): Schemas['WorkerBooking'][] =>
  bookings.map(({ attemptId, cores, amounts = {}, gpus = [], policyVersion, reason }) => ({
    attempt_id: attemptId,
    cores,
    amounts,
    gpus,
    ...(policyVersion !== undefined && { policy_version: policyVersion }),
    ...(reason !== undefined && {
      assigned_because: reasonText(reason, names),
      queue_policy_version: reason.version,
    }),
  }));

/** Counts workers by status, and their cores. */
export function workerSummary(
  workers: readonly WorkerRecord[],
  bookingOf: (worker: WorkerRecord) => BookingRecord | undefined,
): Schemas['WorkerSummary'] {
  const summary = { online: 0, offline: 0, disabled: 0, draining: 0, cores_total: 0, cores_booked: 0 };
  for (const worker of workers) {
    summary[worker.status] += 1;
    if (worker.status === 'online') {
      summary.cores_total += worker.cpuCount;
      if (worker.draining === true) summary.draining += 1;
    }
    const booking = bookingOf(worker);
    for (const { cores } of booking === undefined ? [] : heldBookings(booking)) summary.cores_booked += cores;
  }
  return summary;
}
