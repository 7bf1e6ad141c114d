import type { OutboxBatch } from '../../actors/service/gateway/outbox-batch.ts';

/**
 * How long events that nobody waits for are kept back, so that those of many small commit windows wake the
 * main thread once. Their readers are people.
 */
const EVENT_BATCH_DELAY_MS = 5;

type Open = { -readonly [Part in keyof OutboxBatch]: OutboxBatch[Part][number][] };

const nothing = (): Open => ({ answers: [], events: [], forwards: [], counts: [], logDeletions: [] });

/**
 * What commit windows say to the main thread, in order. What somebody waits for (an answer, a message to another shard), and a count that changes
 * seldom and is looked at beside what it counts, leaves at once, with all that was kept back.
 */
export class MainThreadPublisher {
  private readonly post: (said: OutboxBatch) => void;
  private kept = nothing();
  private timer: NodeJS.Timeout | null = null;

  constructor(post: (said: OutboxBatch) => void) {
    this.post = post;
  }

  /** To be called when the window can be read; of its counts, when it is on disk. */
  tell({ answers, events, forwards, counts, logDeletions }: OutboxBatch): void {
    const isAwaited = answers.length + forwards.length + counts.length + logDeletions.length > 0;
    if (!isAwaited && events.length === 0) return;
    this.kept.answers.push(...answers);
    this.kept.events.push(...events);
    this.kept.forwards.push(...forwards);
    this.kept.counts.push(...counts);
    this.kept.logDeletions.push(...logDeletions);
    if (isAwaited) this.send();
    else this.timer ??= setTimeout(() => this.send(), EVENT_BATCH_DELAY_MS);
  }

  /** Sends what is kept back. */
  close(): void {
    if (this.timer !== null) this.send();
  }

  private send(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const said = this.kept;
    this.kept = nothing();
    this.post(said);
  }
}
