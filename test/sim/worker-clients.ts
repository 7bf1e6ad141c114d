import type { WorkerMessage, WorkerStanding } from '../../actors/service/worker/messages.ts';
import type { WorkerId } from '../../src/core/ids.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { WorkerRecord } from '../../src/core/records/worker.ts';
import { HEARTBEAT_TIMEOUT_MS } from './options.ts';
import { ask, type ClientWorld } from './client-port.ts';

const EVICTED_SHARE = 0.6;
const UNTIL_SHARE = 0.6;
/** Maximum time for which a client disables a worker. */
const UNTIL_MAX_MS = 60_000;

type Standing = Extract<WorkerMessage['type'], 'worker.disable' | 'worker.enable' | 'worker.delete'>;

/** Clients that disable, enable and delete the workers of a farm. */
export class WorkerClients {
  private readonly world: ClientWorld;
  /** Number of requests for each worker. The result of an answered request holds until the next request. */
  private readonly requests = new Map<WorkerId, number>();

  constructor(world: ClientWorld) {
    this.world = world;
  }

  act(): void {
    const { random } = this.world;
    const workers = this.workers();
    if (workers.length === 0) return;
    const { id, status, lastHeartbeatAt } = random.pick(workers);
    const action =
      status === 'disabled'
        ? random.pick(['worker.enable', 'worker.enable', 'worker.delete'] as const)
        : status === 'offline'
          ? 'worker.delete'
          : 'worker.disable';
    if (action !== 'worker.delete' || this.mayDelete) this.ask(id, action, lastHeartbeatAt);
  }

  /**
   * A deletion states that the machine no longer exists. That is true of the machines of the simulation only if tasks do not
   * continue for longer than the heartbeat timeout.
   */
  private get mayDelete(): boolean {
    return this.world.options.reclaimAfterMs.every((timeMs) => timeMs === HEARTBEAT_TIMEOUT_MS);
  }

  /** Enables all disabled workers. */
  enableAll(): void {
    for (const { id, status } of this.workers()) if (status === 'disabled') this.ask(id, 'worker.enable', 0);
  }

  /** Lifts all quarantines and suspicions. */
  liftQuarantines(): void {
    for (const { id } of this.workers())
      if (this.world.service.store.get('workerEvidence', keys.workerEvidence(id)) !== undefined)
        ask<null>(
          this.world,
          (replyTo) => ({
            actor: 'worker',
            id,
            message: { type: 'quarantine.lift', by: 'simulation', replyTo },
          }),
          () => undefined,
        );
  }

  private workers(): readonly WorkerRecord[] {
    const { service, farm } = this.world;
    return [...service.store.scan('worker')].flatMap(({ value }) => (value.farmId === farm ? [value] : []));
  }

  /** `heardAt`: when the service heard of the worker, by its clock. */
  private ask(id: WorkerId, type: Standing, heardAt: number): void {
    const number = (this.requests.get(id) ?? 0) + 1;
    this.requests.set(id, number);
    const { options, random } = this.world;
    const stopsTasks = type === 'worker.disable' && options.evicts && random.chance(EVICTED_SHARE);
    const hasEnd = type === 'worker.disable' && options.untils && random.chance(UNTIL_SHARE);
    const until = hasEnd ? heardAt + random.between(1, UNTIL_MAX_MS) : undefined;
    const disabling = { by: 'simulation', reason: '', stopsTasks, ...(until !== undefined && { until }) };
    ask<WorkerStanding | null>(
      this.world,
      (replyTo) => ({
        actor: 'worker',
        id,
        message: type === 'worker.disable' ? { type, disabling, replyTo } : { type, replyTo },
      }),
      (outcome) => {
        if (!outcome.ok || type !== 'worker.disable') return;
        // A request without a time changes nothing for a worker that is disabled until one.
        if (outcome.value?.disabling?.until !== undefined) return;
        this.world.checker.promise((store) => {
          if (this.requests.get(id) !== number) return null;
          const status = store.get('worker', keys.worker(id))?.status;
          return status === 'disabled' ? null : `worker ${id} was disabled and is ${status ?? 'missing'}`;
        });
      },
    );
  }
}
