import { stepIdOf, type FarmId, type JobId, type QueueId, type WorkerId } from '../../src/core/ids.ts';
import type { Names } from '../../src/core/explain/task-facts.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { keys } from '../../src/core/records/tables.ts';

/** Names of stored items, each read once. A deleted item is named by its id. Valid in one turn. */
export class StoreNames implements Names {
  readonly #store: StoreReader;
  readonly #known = new Map<string, string>();

  constructor(store: StoreReader) {
    this.#store = store;
  }

  farm(id: FarmId): string {
    return this.#once(id, () => this.#store.get('farm', keys.farm(id))?.name ?? id);
  }

  queue(id: QueueId): string {
    return this.#once(id, () => this.#store.get('queue', keys.queue(id))?.name ?? id);
  }

  job(id: JobId): string {
    return this.#once(id, () => this.#store.get('job', keys.job(id))?.name ?? id);
  }

  step(job: JobId, order: number): string {
    return this.#once(
      stepIdOf(job, order),
      () => this.#store.get('step', keys.step(job, order))?.name ?? `step ${order + 1}`,
    );
  }

  worker(id: WorkerId): string {
    return this.#once(id, () => this.#store.get('worker', keys.worker(id))?.name ?? id);
  }

  #once(id: string, find: () => string): string {
    const name = this.#known.get(id) ?? find();
    this.#known.set(id, name);
    return name;
  }
}
