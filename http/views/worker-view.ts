import type { BookingRecord, WorkerRecord } from '../../src/core/records/worker.ts';
import type { Schemas } from './schemas.ts';
import { timestampOf } from '../../src/core/timestamp.ts';

/** interface.md, "Worker"; interface-decisions.md, "REST". */
export function workerView(worker: WorkerRecord, booking: BookingRecord | undefined): Schemas['Worker'] {
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
    memory_mib: worker.memoryMib,
    os: worker.os,
    arch: worker.arch,
    version: worker.softwareVersion,
    queue_ids: worker.queueIds,
    tags: worker.tags,
    last_heartbeat_at: timestampOf(worker.lastHeartbeatAt),
    registered_at: timestampOf(worker.registeredAt),
  };
}
