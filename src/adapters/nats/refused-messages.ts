import type { BusEvent } from '../../core/ports/bus.ts';
import type { RefusalReason } from '../../core/wire/sender-check.ts';

type Refused = Extract<BusEvent, { type: 'refused' }>;

/** Time for which refused messages are counted before they are reported: a hostile client may send thousands. */
const GATHER_MS = 1000;

/**
 * Counts refused messages and reports them: the first one of a reason at once, the following ones together at most once
 * per second, with the subject of the latest. Call `close` at the end.
 */
export class RefusedMessages {
  readonly #changed: (event: BusEvent) => void;
  /** By reason: what is not reported yet. */
  readonly #gathered = new Map<RefusalReason, Refused | null>();
  #timer: NodeJS.Timeout | null = null;

  constructor(changed: (event: BusEvent) => void) {
    this.#changed = changed;
  }

  add(reason: RefusalReason, subject: string): void {
    const gathered = this.#gathered.get(reason);
    if (gathered === undefined) {
      this.#gathered.set(reason, null);
      this.#changed({ type: 'refused', reason, count: 1, subject });
    } else {
      this.#gathered.set(reason, { type: 'refused', reason, count: (gathered?.count ?? 0) + 1, subject });
    }
    this.#timer ??= setTimeout(() => this.#report(), GATHER_MS).unref();
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#report();
  }

  #report(): void {
    this.#timer = null;
    const events = [...this.#gathered.values()];
    this.#gathered.clear();
    for (const event of events) if (event !== null) this.#changed(event);
  }
}
