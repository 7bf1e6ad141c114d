import { refusedKeys } from '../../src/core/bus-identity/credentials.ts';
import { backoffMs, BackoffTimer } from '../../src/adapters/nats/backoff.ts';
import type { BusAuthority } from '../../src/core/ports/bus-authority.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';

interface RefusalPorts {
  /** The next read sees all earlier commits. */
  readonly store: StoreReader & { refresh(): void };
  readonly authority: Pick<BusAuthority, 'refuse'>;
  readonly now: () => number;
  readonly warn: (text: string, attributes: Readonly<Record<string, string>>) => void;
}

const RETRY_MS = { min: 500, max: 30_000 } as const;

/**
 * Keeps the keys that the bus refuses the same as those in the table of credentials. States: idle, sending, pausing after
 * a failure. Invariant: after a call of `changed`, the list is read and sent again. Exit: `close`.
 */
export class RefusedKeys {
  readonly #ports: RefusalPorts;
  readonly #pauses = new BackoffTimer();
  #isStale = false;
  #isClosed = false;
  #running: Promise<void> | null = null;

  constructor(ports: RefusalPorts) {
    this.#ports = ports;
  }

  /** The table has changed. */
  changed(): void {
    this.#isStale = true;
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pauses.end();
    await this.#running;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false;
      try {
        await this.#ports.authority.refuse(this.#list());
        failures = 0;
      } catch (error) {
        this.#isStale = true;
        failures += 1;
        const reason = error instanceof Error ? error.message : String(error);
        if (failures === 1)
          this.#ports.warn('the bus has not confirmed which keys it refuses; trying again', { reason });
        await this.#pauses.pause(backoffMs(failures, RETRY_MS.min, RETRY_MS.max));
      }
    }
    this.#running = null;
  }

  #list(): string[] {
    const { store, now } = this.#ports;
    store.refresh();
    return [...store.scan('workerCredential')].flatMap(({ value }) => refusedKeys(value, now()));
  }
}
