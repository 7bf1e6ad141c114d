import { connectLogBus } from '../../src/adapters/nats/log-bus.ts';
import type { Redelivery } from '../../src/adapters/nats/durable-consumer.ts';
import type { ServerList } from '../../src/adapters/nats/server-address.ts';
import { connectShardBus } from '../../src/adapters/nats/service-bus.ts';
import { connectWorkerBus } from '../../src/adapters/nats/worker-bus.ts';
import {
  attemptIdOf,
  farmId,
  jobId,
  taskIdOf,
  workerId,
  type QueueId,
  type WorkerId,
} from '../../src/core/ids.ts';
import type { BusEvent, Delivery, LogDelivery, PreviewDelivery } from '../../src/core/ports/bus.ts';
import type {
  CancelMessage,
  DiagnosticMessage,
  LeaseReply,
  OwnerMessage,
  LeaseRequest,
  LogMessage,
  PresenceMessage,
  StatusMessage,
} from '../../src/core/wire/bus-messages.ts';
import type { Parsed } from '../../src/core/wire/json-text.ts';
import { Recorder } from './nats-recorder.ts';

export const JOB = jobId('01890a5d-ac96-774b-bcce-b302099a8057');
export const WORKER = workerId('01890a5d-ac96-774b-bcce-b302099a8058');
export const FARM = farmId('01890a5d-ac96-774b-bcce-b302099a8059');

export const taskOf = (index: number) => taskIdOf({ jobId: JOB, stepOrder: 0, index });
export const attemptOf = (index: number) =>
  attemptIdOf({ jobId: JOB, stepOrder: 0, index, attemptNumber: 1 });

export const statusOf = (index: number, status: StatusMessage['status'] = 'running'): StatusMessage => ({
  v: 1,
  task_id: taskOf(index),
  attempt_id: attemptOf(index),
  worker_id: WORKER,
  status,
  timestamp: '2026-11-20T10:00:00Z',
  session_id: 's-1',
});

export const logOf = (index: number, seq: number, data = `line ${seq}\n`): LogMessage => ({
  v: 1,
  task_id: taskOf(index),
  attempt_id: attemptOf(index),
  seq_num: seq,
  stream: 'stdout',
  data,
  at: '2026-11-20T10:00:00Z',
});

export const leaseRequest: LeaseRequest = { v: 1, worker_id: WORKER, farm_id: FARM, incarnation: 'one' };

/** Redelivers after 300 ms, to keep tests short. */
export const FAST_REDELIVERY: Redelivery = { waitsMs: [300, 300], deliveriesMax: 3 };

interface LeaseAsked {
  readonly request: LeaseRequest;
  readonly queue: QueueId | '_any';
  readonly inbox: string;
}

/** Connects a shard that records everything it receives. */
export function recordingShard(
  servers: ServerList,
  redelivery?: Redelivery,
  isScoped = false,
  streamServers = servers,
  epoch: number | null = null,
) {
  const events = new Recorder<BusEvent>();
  const leases = new Recorder<LeaseAsked>();
  const presence = new Recorder<Delivery<PresenceMessage>>();
  const statuses = new Recorder<Delivery<StatusMessage>>();
  const bus = connectShardBus(
    {
      servers,
      streamServers,
      isScoped,
      shard: { index: 0, count: 2 },
      epoch,
      ...(redelivery === undefined ? {} : { redelivery }),
    },
    {
      leaseRequested: (request, queue, inbox) => leases.add({ request, queue, inbox }),
      presenceAnnounced: presence.add,
      statusReported: statuses.add,
      busChanged: events.add,
    },
  );
  return { bus, events, leases, presence, statuses };
}

/** A diagnostic message of a worker, read from the bus. */
interface WorkerDiagnostic {
  readonly source: string;
  readonly parsed: Parsed<DiagnosticMessage>;
}

/** Connects a log reader that records everything it receives. */
export function recordingLogReader(servers: ServerList, redelivery?: Redelivery, isScoped = false) {
  const events = new Recorder<BusEvent>();
  const logs = new Recorder<LogDelivery>();
  const previews = new Recorder<PreviewDelivery>();
  const diagnostics = new Recorder<WorkerDiagnostic>();
  const options = { servers, isScoped, ...(redelivery === undefined ? {} : { redelivery }) };
  const bus = connectLogBus(options, {
    logged: logs.add,
    previewed: previews.add,
    diagnosed: (source, read) => diagnostics.add({ source, parsed: read() }),
    busChanged: events.add,
  });
  return { bus, events, logs, previews, diagnostics };
}

/** Connects a worker daemon that records everything it receives. */
export function recordingWorker(servers: ServerList, pingMs = 3000, workerId: WorkerId | null = null) {
  const events = new Recorder<BusEvent>();
  const cancels = new Recorder<CancelMessage>();
  const owners = new Recorder<OwnerMessage>();
  const late = new Recorder<LeaseReply>();
  const bus = connectWorkerBus(
    { servers, name: 'test worker', pingMs, identity: workerId === null ? null : { workerId } },
    {
      cancelRequested: cancels.add,
      ownerAnnounced: owners.add,
      leaseAnsweredLate: late.add,
      busChanged: events.add,
    },
  );
  return { bus, events, cancels, owners, late };
}
