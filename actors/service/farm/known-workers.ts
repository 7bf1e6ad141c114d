import type { WorkerId } from '../../../src/core/ids.ts';
import type { WorkerStatus } from '../../../src/core/records/worker.ts';

/** Facts that the farm keeps about one of its workers. */
export interface KnownWorker {
  readonly id: WorkerId;
  readonly name: string;
  readonly ordinal: number;
  readonly registeredAt: number;
  readonly incarnation: string;
  readonly status: WorkerStatus;
}

/** The workers of a farm by id and by name, with the number of those that are online. */
export class KnownWorkers {
  readonly #byId = new Map<string, KnownWorker>();
  readonly #byName = new Map<string, KnownWorker>();
  #online = 0;

  get size(): number {
    return this.#byId.size;
  }

  get online(): number {
    return this.#online;
  }

  get(id: string): KnownWorker | undefined {
    return this.#byId.get(id);
  }

  named(name: string): KnownWorker | undefined {
    return this.#byName.get(name);
  }

  /** Adds the worker, or replaces the one with its id. */
  put(worker: KnownWorker): void {
    this.delete(worker.id);
    this.#byId.set(worker.id, worker);
    this.#byName.set(worker.name, worker);
    if (worker.status === 'online') this.#online++;
  }

  delete(id: WorkerId): void {
    const worker = this.#byId.get(id);
    if (worker === undefined) return;
    this.#byId.delete(id);
    if (this.#byName.get(worker.name) === worker) this.#byName.delete(worker.name);
    if (worker.status === 'online') this.#online--;
  }

  all(): IterableIterator<KnownWorker> {
    return this.#byId.values();
  }
}
