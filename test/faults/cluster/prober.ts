import { setTimeout as delay } from 'node:timers/promises';
import { ask } from './client.ts';
import type { Register } from './history.ts';

const INTERVAL_MS = 50;
const TIMEOUT_MS = 5000;

/** An acknowledged write. Times by `performance.now()`. */
export interface Ack {
  readonly sentAt: number;
  readonly at: number;
}

/**
 * A client that writes through one node, one request after the other, a new value each time. Its acknowledgements show when a
 * cluster decides again after a fault.
 */
export class Prober {
  readonly node: string;
  readonly #url: string;
  readonly #queueId: string;
  readonly #name: string;
  readonly #unknown = new Set<string>();
  readonly acks: Ack[] = [];
  #acknowledged: string | null = null;
  #count = 0;
  #isStopped = false;
  #running: Promise<void> | null = null;

  constructor(node: string, url: string, { id, name }: { readonly id: string; readonly name: string }) {
    this.node = node;
    this.#url = url;
    this.#queueId = id;
    this.#name = name;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Resolves when the last request has its answer. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  register(): Register {
    return { name: this.#name, acknowledged: this.#acknowledged, unknown: this.#unknown };
  }

  /** Returns the first acknowledgement of a write that was sent after this moment. */
  firstAckSince(moment: number): Ack | null {
    const late = this.acks.findLastIndex(({ sentAt }) => sentAt < moment);
    return this.acks[late + 1] ?? null;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      await this.#write();
      await delay(INTERVAL_MS);
    }
  }

  async #write(): Promise<void> {
    const value = String(++this.#count);
    this.#unknown.add(value);
    const sentAt = performance.now();
    const answer = await ask(`${this.#url}/api/v1/queues/${this.#queueId}`, {
      method: 'PUT',
      body: { name: this.#name, description: value },
      timeoutMs: TIMEOUT_MS,
    });
    if (answer?.status !== 200) return;
    this.#acknowledged = value;
    this.#unknown.delete(value);
    this.acks.push({ sentAt, at: performance.now() });
  }
}
