import type { OutboxBatch } from '../../actors/service/gateway/outbox-batch.ts';

/**
 * Delay of events without a subscriber that waits: the events of many small commit windows wake the main thread once.
 */
const EVENT_BATCH_DELAY_MS = 5;

type PendingBatch = { -readonly [Part in keyof OutboxBatch]: OutboxBatch[Part][number][] };

const emptyBatch = (): PendingBatch => ({
  answers: [],
  events: [],
  forwards: [],
  counts: [],
  logDeletions: [],
  busNotices: [],
  webhookOrders: [],
});

/**
 * Sends the outputs of commit windows to the main thread, in order. Events are delayed for a moment. Everything else
 * (answers, forwards, log deletions and the rare counts) is sent at once, together with the delayed events.
 */
export class MainThreadPublisher {
  private readonly post: (batch: OutboxBatch) => void;
  private pending = emptyBatch();
  private timer: NodeJS.Timeout | null = null;

  constructor(post: (batch: OutboxBatch) => void) {
    this.post = post;
  }

  /** Sends outputs of a window that is readable. Counts may be sent as soon as the window is durable. */
  publish(batch: OutboxBatch): void {
    const { events, ...awaited } = batch;
    const isAwaited = Object.values(awaited).some((part) => part.length > 0);
    if (!isAwaited && events.length === 0) return;
    this.pending.answers.push(...batch.answers);
    this.pending.events.push(...events);
    this.pending.forwards.push(...batch.forwards);
    this.pending.counts.push(...batch.counts);
    this.pending.logDeletions.push(...batch.logDeletions);
    this.pending.busNotices.push(...batch.busNotices);
    this.pending.webhookOrders.push(...batch.webhookOrders);
    if (isAwaited) this.send();
    else this.timer ??= setTimeout(() => this.send(), EVENT_BATCH_DELAY_MS);
  }

  /** Sends the delayed events. */
  close(): void {
    if (this.timer !== null) this.send();
  }

  private send(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const batch = this.pending;
    this.pending = emptyBatch();
    this.post(batch);
  }
}
