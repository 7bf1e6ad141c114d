import { NO_EXPRESSIONS } from '../../../src/openjd/expr/expr-limits.ts';
import { workerId, type QueueId } from '../../../src/core/ids.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { WorkerRecord } from '../../../src/core/records/worker.ts';
import { isRefusedIncarnation, keepsOut } from '../../../src/core/wire/incarnation.ts';
import type { PresenceReply, RegisterMessage } from '../../../src/core/wire/bus-messages.ts';
import type { ServiceContext } from '../service-system.ts';
import { expiryDelayMs } from './expiry-limiter.ts';
import type { FarmMessage } from './messages.ts';
import type { FarmState, KnownWorker } from './state.ts';

type FarmContext = ServiceContext<'farm'>;

/**
 * Registers a worker. Names are unique in the farm: a worker with the name of an offline worker takes over its id. The
 * name of an online worker is refused.
 */
export function onWorkerRegister(
  state: FarmState,
  message: Extract<FarmMessage, { type: 'worker.register' }>,
  context: FarmContext,
): void {
  const { registration } = message;
  const refuse = (reason: string): void => {
    const reply: PresenceReply = { v: 1, type: 'refused', reason };
    context.reply(message.replyTo, reply);
  };
  const queueIds = resolveQueues(state, registration.queues);
  if (typeof queueIds === 'string') {
    refuse(queueIds);
    return;
  }
  const known = state.workers.get(registration.worker_id);
  const namesake = [...state.workers.values()].find((worker) => worker.name === registration.name);
  if (namesake !== undefined && namesake.id !== registration.worker_id && namesake.status !== 'offline') {
    refuse(`the farm has a worker named ${JSON.stringify(registration.name)} that is ${namesake.status}`);
    return;
  }
  if (isRefusedIncarnation(registration.incarnation, context.now)) {
    refuse(
      'its incarnation is more than a day in the future; check the clocks of the worker and the service',
    );
    return;
  }
  if (known !== undefined && keepsOut(known.incarnation, registration.incarnation)) {
    refuse('a later incarnation of this worker has already registered');
    return;
  }
  const predecessor = namesake ?? known;
  const worker: KnownWorker = {
    id: predecessor?.id ?? workerId(registration.worker_id),
    name: registration.name,
    ordinal: predecessor?.ordinal ?? newOrdinal(state, registration, context),
    registeredAt: predecessor?.registeredAt ?? context.now,
    incarnation: predecessor?.incarnation ?? '',
    status: predecessor?.status ?? 'offline',
  };
  state.workers.set(worker.id, worker);
  context.send('worker', worker.id, {
    type: 'worker.registered',
    record: toWorkerRecord(state, worker, registration, queueIds, context.now),
    openAttempts: registration.open_attempts,
    registeredAs: workerId(registration.worker_id),
    stopped: registration.stopped ?? null,
    replyTo: message.replyTo,
  });
}

function newOrdinal(state: FarmState, registration: RegisterMessage, context: FarmContext): number {
  const ordinal = state.nextOrdinal++;
  context.change(
    put('workerOrdinal', keys.workerOrdinal(state.record.id, ordinal), {
      version: 1,
      workerId: registration.worker_id,
    }),
  );
  return ordinal;
}

function toWorkerRecord(
  state: FarmState,
  worker: KnownWorker,
  registration: RegisterMessage,
  queueIds: readonly QueueId[],
  now: number,
): WorkerRecord {
  return {
    version: 1,
    id: worker.id,
    ordinal: worker.ordinal,
    farmId: state.record.id,
    name: registration.name,
    hostname: registration.hostname,
    status: worker.status,
    incarnation: registration.incarnation,
    computeLocation: registration.compute_location,
    cpuCount: registration.cpu_count,
    memoryMib: registration.memory_mib,
    hardware: {
      gpuCount: registration.gpu_count ?? 0,
      gpuMemoryMib: registration.gpu_memory_mib ?? 0,
      gpuModels: registration.gpu_models ?? [],
      scratchMib: registration.scratch_mib ?? 0,
      osVersion: registration.os_version ?? '',
    },
    os: registration.os,
    arch: registration.arch,
    softwareVersion: registration.software_version,
    queueIds,
    tags: registration.tags,
    exprMemoryBytes: registration.expr_memory_limit ?? NO_EXPRESSIONS,
    lastHeartbeatAt: now,
    registeredAt: worker.registeredAt,
  };
}

/** Resolves queue ids and names to ids. Returns an error text for an unknown queue. */
function resolveQueues(state: FarmState, queues: readonly string[]): QueueId[] | string {
  const ids: QueueId[] = [];
  for (const text of queues) {
    const queue = [...state.queues.values()].find((each) => each.id === text || each.name === text);
    if (queue === undefined) return `the farm has no queue ${JSON.stringify(text)}`;
    if (!ids.includes(queue.id)) ids.push(queue.id);
  }
  return ids;
}

export function onWorkerChanged(
  state: FarmState,
  message: Extract<FarmMessage, { type: 'worker.changed' }>,
): void {
  const worker = state.workers.get(message.workerId);
  if (worker === undefined) return;
  worker.status = message.status;
  worker.incarnation = message.incarnation;
}

/** Handles a worker that was silent for a whole timeout: it goes offline, unless too many fall silent at once. */
export const onWorkerExpiring =
  (timeoutMs: number) =>
  (
    state: FarmState,
    message: Extract<FarmMessage, { type: 'worker.expiry-requested' }>,
    context: FarmContext,
  ): void => {
    // The worker may also be a disabled one that holds tasks.
    const online = [...state.workers.values()].filter(
      (worker) => worker.status === 'online' || worker.id === message.workerId,
    ).length;
    const wasDeferred = state.expiry.deferredUntil !== null;
    const forMs = expiryDelayMs(state.expiry, online, timeoutMs, context.now);
    if (forMs === 0) {
      context.send('worker', message.workerId, { type: 'expiry.granted' });
      return;
    }
    if (!wasDeferred) {
      context.log(
        'warn',
        'many workers fell silent at once; deferring the reclaim of their tasks by one heartbeat timeout',
        {
          farm_id: state.record.id,
          online: String(online),
        },
      );
    }
    context.send('worker', message.workerId, { type: 'expiry.deferred', forMs });
  };
