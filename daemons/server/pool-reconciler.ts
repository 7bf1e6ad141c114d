import { setTimeout as delay } from 'node:timers/promises';
import { CATALOG_ID, type CatalogMessage } from '../../actors/service/catalog/messages.ts';
import type { Actors } from '../../http/ports.ts';
import type { SourceAnswer } from '../../src/adapters/pools/ask-source.ts';
import type { PoolSource } from '../../src/core/config/pool-sources.ts';
import type { ServerConfig } from '../../src/core/config/server-config.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { poolKey } from '../../src/core/records/usage-pool.ts';

/** Parts of the service that the reconciler uses. */
interface ReconcilerPorts {
  /** The next read sees all earlier commits. */
  readonly store: StoreReader & { refresh(): void };
  readonly actors: Pick<Actors, 'tell'>;
  readonly ask: (source: PoolSource, stopping: AbortSignal) => Promise<SourceAnswer>;
  readonly now: () => number;
  readonly log: (level: 'info' | 'warn', text: string, attributes: Readonly<Record<string, string>>) => void;
}

/** Result of a look at a source, for the log: only changes are logged. */
type Look = 'answered' | 'no such pool' | `failed: ${string}`;

/**
 * Asks the sources of usage pools and reports their answers to the catalog (docs/policy.md#measured-pools). Each source
 * is asked at once, and again after an interval from the end of the question: at most one question of a source runs.
 */
export class PoolReconciler {
  readonly #ports: ReconcilerPorts;
  readonly #settings: ServerConfig['pools'];
  readonly #stopping = new AbortController();
  readonly #following: readonly Promise<void>[];

  constructor(ports: ReconcilerPorts, settings: ServerConfig['pools']) {
    this.#ports = ports;
    this.#settings = settings;
    this.#tell({ type: 'pool.sources', pools: [...settings.sources.keys()] });
    this.#following = [...settings.sources].map(([pool, source]) => this.#follow(pool, source));
  }

  /** Ends running questions without an answer. Resolves when their commands have ended. */
  async close(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#following);
  }

  async #follow(pool: string, source: PoolSource): Promise<void> {
    const { signal } = this.#stopping;
    let before: Look = 'answered';
    while (!signal.aborted) {
      const look = await this.#look(pool, source, before);
      before = look;
      await delay(this.#settings.intervalMs, undefined, { signal }).catch(ignoreAbort);
    }
  }

  async #look(pool: string, source: PoolSource, before: Look): Promise<Look> {
    if (!this.#exists(pool)) {
      if (before !== 'no such pool')
        this.#ports.log('warn', 'pools.reconcile names a usage pool that does not exist', { pool });
      return 'no such pool';
    }
    const { signal } = this.#stopping;
    const answer = await this.#ports.ask(source, signal);
    if (signal.aborted) return before;
    const at = this.#ports.now();
    if (answer.ok) {
      const until = at + this.#settings.maxAgeMs;
      this.#tell({ type: 'pool.measured', pool, result: { ok: true, slots: answer.slots, at, until } });
      if (before !== 'answered')
        this.#ports.log('info', 'the slots of a usage pool are measured again', { pool });
      return 'answered';
    }
    const { reason, note } = answer;
    this.#tell({ type: 'pool.measured', pool, result: { ok: false, at, reason } });
    if (before !== `failed: ${reason}`)
      this.#ports.log('warn', 'the slots of a usage pool could not be measured', { pool, reason, note });
    return `failed: ${reason}`;
  }

  #exists(pool: string): boolean {
    const { store } = this.#ports;
    store.refresh();
    for (const { value } of store.scan('usagePool')) if (poolKey(value.name) === pool) return true;
    return false;
  }

  #tell(message: CatalogMessage): void {
    this.#ports.actors.tell({ actor: 'catalog', id: CATALOG_ID, message });
  }
}

/** The only way in which a delay is rejected. */
function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error;
}
