import { stepIdOf } from '../../src/core/ids.ts';
import type { WorkerFailuresRecord } from '../../src/core/records/step-failures.ts';
import type { BookingRecord, WorkerRecord } from '../../src/core/records/worker.ts';
import type { Schemas } from './schemas.ts';
import { timestampOf } from '../../src/core/timestamp.ts';

/** interface.md, "Worker"; interface-decisions.md, "REST". */
export function workerView(
  worker: WorkerRecord,
  booking: BookingRecord | undefined,
  failures: WorkerFailuresRecord | undefined,
): Schemas['Worker'] {
  const bookings = booking?.bookings ?? [];
  return {
    id: worker.id,
    name: worker.name,
    hostname: worker.hostname,
    farm_id: worker.farmId,
    status: worker.status,
    compute_location: worker.computeLocation,
    cpu_count: worker.cpuCount,
    committed_cores: bookings.reduce((cores, held) => cores + held.cores, 0),
    ...(worker.draining === true && worker.status === 'online' ? { draining: true } : {}),
    memory_mib: worker.memoryMib,
    os: worker.os,
    arch: worker.arch,
    version: worker.softwareVersion,
    queue_ids: worker.queueIds,
    tags: worker.tags,
    last_heartbeat_at: timestampOf(worker.lastHeartbeatAt),
    registered_at: timestampOf(worker.registeredAt),
    failed_attempts: failures?.total ?? 0,
  };
}

/** Failures on a worker by step, the latest first. */
export const stepFailuresView = (steps: WorkerFailuresRecord['steps']): Schemas['WorkerStepFailures'][] =>
  steps.toReversed().map(({ jobId, stepOrder, failures, lastAt }) => ({
    job_id: jobId,
    step_id: stepIdOf(jobId, stepOrder),
    failures,
    last_at: timestampOf(lastAt),
  }));
