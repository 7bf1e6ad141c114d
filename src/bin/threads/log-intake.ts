import { parseAttemptId } from '../../core/ids.ts';
import type { LogDelivery } from '../../core/ports/bus.ts';
import type { IncomingLogChunk, LogStoreWriter } from '../../core/ports/log-store.ts';
import { LOG_PROTOCOL, type LogNotice } from './log-protocol.ts';

/** Gathers the chunks of one turn of the event loop, stores them together, and then acknowledges them. */
export class LogIntake {
  private readonly writer: LogStoreWriter;
  private readonly tell: (notice: LogNotice) => void;
  private waiting: LogDelivery[] = [];
  private streamCreatedAt = '';
  private isDiskLow = false;

  constructor(writer: LogStoreWriter, tell: (notice: LogNotice) => void) {
    this.writer = writer;
    this.tell = tell;
  }

  add(delivery: LogDelivery): void {
    if (delivery.streamCreatedAt !== this.streamCreatedAt) {
      this.flush();
      this.streamCreatedAt = delivery.streamCreatedAt;
      this.writer.streamFound({ createdAt: delivery.streamCreatedAt, lastSequence: delivery.streamSequence });
    }
    this.waiting.push(delivery);
    if (this.waiting.length === 1) setImmediate(() => this.flush());
  }

  flush(): void {
    if (this.waiting.length === 0) return;
    const deliveries = this.waiting;
    this.waiting = [];
    const chunks: IncomingLogChunk[] = [];
    for (const delivery of deliveries) {
      const attempt = parseAttemptId(delivery.message.attempt_id);
      if (attempt === null)
        throw new Error(`a log message passed the door with the attempt ${delivery.message.attempt_id}`);
      chunks.push({
        attempt,
        seqNum: delivery.message.seq_num,
        stream: delivery.message.stream,
        data: delivery.message.data,
        at: delivery.message.at,
        receivedAt: delivery.storedAt,
        streamSequence: delivery.streamSequence,
      });
    }
    const outcome = this.writer.append(chunks);
    this.noteDisk(!outcome.ok);
    if (!outcome.ok) return;
    for (const delivery of deliveries) delivery.acknowledge();
    const tasks = [...new Set(outcome.stored.map((chunk) => chunk.taskId))];
    if (tasks.length > 0) this.tell({ v: LOG_PROTOCOL, type: 'stored', tasks });
  }

  private noteDisk(isLow: boolean): void {
    if (isLow === this.isDiskLow) return;
    this.isDiskLow = isLow;
    const text = isLow
      ? 'the disk is low: task logs stay on the bus until there is room'
      : 'task logs are stored again';
    this.tell({ v: LOG_PROTOCOL, type: 'log', level: 'warn', text, attributes: {} });
  }
}
