import { NO_EXPRESSIONS } from '../../../src/openjd/expr/expr-limits.ts';
import { customAmountWrong } from '../../../src/openjd/template/capabilities.ts';
import { isValidCredential } from '../../../src/core/bus-identity/credentials.ts';
import { workerId, type QueueId, type WorkerId } from '../../../src/core/ids.ts';
import { done } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { WorkerRecord } from '../../../src/core/records/worker.ts';
import { isRefusedIncarnation, keepsOut } from '../../../src/core/wire/incarnation.ts';
import type { PresenceReply, RegisterMessage } from '../../../src/core/wire/bus-messages.ts';
import { CATALOG_ID } from '../catalog/messages.ts';
import type { ServiceContext, ServiceSettings } from '../service-system.ts';
import { expiryDelayMs } from './expiry-limiter.ts';
import type { FarmMessage, WorkerIdentity } from './messages.ts';
import type { KnownWorker } from './known-workers.ts';
import type { FarmState } from './state.ts';

type FarmContext = ServiceContext<'farm'>;

/**
 * Registers a worker. Names are unique in the farm: a worker with the name of an offline worker takes over its id. The
 * name of an online worker is refused. With a proven identity, no worker takes over another one's id.
 */
export const onWorkerRegister =
  ({ perFarm }: ServiceSettings['workers']) =>
  (
    state: FarmState,
    message: Extract<FarmMessage, { type: 'worker.register' }>,
    context: FarmContext,
  ): void => {
    const { registration } = message;
    const refuse = (reason: string): void => {
      const reply: PresenceReply = { v: 1, type: 'refused', reason };
      context.reply(message.replyTo, reply);
    };
    const characters = lengthOf(registration);
    if (characters > REGISTRATION_CHARACTERS_MAX) {
      context.log('warn', 'refused a worker: its registration is too long', {
        farm_id: state.record.id,
        worker: registration.name.slice(0, LOGGED_NAME_MAX),
        characters: String(characters),
      });
      refuse(
        `its names, queues, tags and GPU models have ${characters} characters; the limit is ${REGISTRATION_CHARACTERS_MAX}`,
      );
      return;
    }
    const queueIds = resolveQueues(state, registration.queues);
    if (typeof queueIds === 'string') {
      refuse(queueIds);
      return;
    }
    const fault = identityFault(state, registration, message.identity, context.now);
    if (fault !== null) {
      refuse(fault);
      return;
    }
    const known = state.workers.get(registration.worker_id);
    const namesake = state.workers.named(registration.name);
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
    const isProven = message.identity.kind !== 'open';
    const predecessor = isProven ? known : (namesake ?? known);
    if (predecessor === undefined && state.workers.size >= perFarm) {
      context.log('warn', 'refused a worker: the farm has the maximum number of workers', {
        farm_id: state.record.id,
        worker: registration.name,
        workers: String(state.workers.size),
      });
      refuse(
        `the farm has ${state.workers.size} workers, and scheduler.max_workers_per_farm allows ${perFarm}; ` +
          'delete workers that no longer exist, or raise that setting of the service',
      );
      return;
    }
    const worker: KnownWorker = {
      id: predecessor?.id ?? workerId(registration.worker_id),
      name: registration.name,
      ordinal: predecessor?.ordinal ?? newOrdinal(state, registration, context),
      registeredAt: predecessor?.registeredAt ?? context.now,
      incarnation: predecessor?.incarnation ?? '',
      status: predecessor?.status ?? 'offline',
    };
    state.workers.put(worker);
    const credential = message.identity.kind === 'joined' ? message.identity.credential : null;
    if (credential?.registeredAt === null) reportRegistered(worker.id, context);
    context.send('worker', worker.id, {
      type: 'worker.registered',
      record: toWorkerRecord(
        state,
        worker,
        { ...registration, tags: { ...registration.tags, ...credential?.tags } },
        queueIds,
        context.now,
      ),
      openAttempts: registration.open_attempts,
      registeredAs: workerId(registration.worker_id),
      stopped: registration.stopped ?? null,
      quarantine: state.record.quarantine ?? null,
      replyTo: message.replyTo,
    });
  };

/** Returns why the sender must not register as the worker in this farm; null if it may. */
function identityFault(
  { record: { id }, workers }: FarmState,
  { worker_id: ownId, name }: RegisterMessage,
  identity: WorkerIdentity,
  now: number,
): string | null {
  if (identity.kind === 'open') return null;
  const namesake = workers.named(name);
  if (namesake !== undefined && namesake.id !== ownId)
    return `the farm has another worker named ${JSON.stringify(name)}; delete that one, or set worker.name`;
  if (identity.kind === 'operator') return null;
  const { credential } = identity;
  if (credential?.workerId !== ownId || !isValidCredential(credential, now))
    return 'it has no valid credential; it needs a new token to join';
  if (credential.farmId !== null && credential.farmId !== id)
    return 'its credential is for another farm; set worker.farm to that one, or join with another token';
  return null;
}

function reportRegistered(worker: WorkerId, context: FarmContext): void {
  context.effect({
    kind: 'forward',
    envelope: {
      actor: 'catalog',
      id: CATALOG_ID,
      message: { type: 'credential.registered', workerId: worker },
    },
  });
}

/** Replies to the join desk with the worker of a name. */
export function onWorkerFind(
  state: FarmState,
  { name, replyTo }: Extract<FarmMessage, { type: 'worker.find' }>,
  context: FarmContext,
): void {
  const worker = state.workers.named(name);
  context.reply(replyTo, done(worker === undefined ? null : { id: worker.id, status: worker.status }));
}

/**
 * Maximum characters of the texts of a registration that are kept for each worker. With the number of workers, it bounds
 * the memory that registrations take.
 */
const REGISTRATION_CHARACTERS_MAX = 16_384;
/** Characters of the name of a refused worker that are logged. */
const LOGGED_NAME_MAX = 200;

function lengthOf(registration: RegisterMessage): number {
  const { name, hostname, os, arch, compute_location: location, software_version: version } = registration;
  const texts = [name, hostname, os, registration.os_version ?? '', arch, location, version];
  const tags = [...Object.entries(registration.tags).flat(), ...Object.keys(registration.amounts ?? {})];
  const { queues, gpu_models: models = [], isolation = [], extensions = [] } = registration;
  const parts = [...texts, ...queues, ...models, ...isolation, ...extensions, ...tags];
  return parts.reduce((sum, text) => sum + text.length, 0);
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
      ...(registration.isolation === undefined ? {} : { isolation: registration.isolation }),
      ...(registration.extensions === undefined ? {} : { extensions: registration.extensions }),
    },
    os: registration.os,
    arch: registration.arch,
    softwareVersion: registration.software_version,
    queueIds,
    tags: registration.tags,
    ...customAmountsOf(registration),
    exprMemoryBytes: registration.expr_memory_limit ?? NO_EXPRESSIONS,
    lastHeartbeatAt: now,
    registeredAt: worker.registeredAt,
  };
}

/** Returns the further amounts of the worker, without names that no step can require or that have their own field. */
function customAmountsOf({ amounts }: RegisterMessage): Pick<WorkerRecord, 'customAmounts'> {
  const valid = Object.entries(amounts ?? {}).filter(([name]) => customAmountWrong(name) === null);
  if (valid.length === 0) return {};
  return {
    customAmounts: Object.fromEntries(valid.map(([name, amount]) => [name.toLowerCase(), amount])),
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
  const { status, incarnation } = message;
  state.workers.put({ ...worker, status, incarnation });
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
    const isOnline = state.workers.get(message.workerId)?.status === 'online';
    const online = state.workers.online + (isOnline ? 0 : 1);
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
