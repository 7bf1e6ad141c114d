import { parseAttemptId, type AttemptAddress, type TaskId } from '../../core/ids.ts';
import type { LogDelivery } from '../../core/ports/bus.ts';
import type { IncomingLogChunk, LogStoreWriter } from '../../core/ports/log-store.ts';
import type { KnownJobs } from './known-jobs.ts';
import { LOG_PROTOCOL, type LogNotice } from './log-protocol.ts';

/**
 * Gathers the chunks of one turn of the event loop, stores them together, and then acknowledges them. What comes late of
 * a job that was deleted is acknowledged and not stored: nobody would ever remove it.
 */
export class LogIntake {
  private readonly writer: Pick<LogStoreWriter, 'append' | 'streamFound'>;
  private readonly jobs: Pick<KnownJobs, 'has'>;
  private readonly tell: (notice: LogNotice) => void;
  private readonly waiting: LogDelivery[] = [];
  private streamCreatedAt = '';
  private isDiskLow = false;

  constructor(
    writer: Pick<LogStoreWriter, 'append' | 'streamFound'>,
    jobs: Pick<KnownJobs, 'has'>,
    tell: (notice: LogNotice) => void,
  ) {
    this.writer = writer;
    this.jobs = jobs;
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
    const deliveries: LogDelivery[] = [];
    const chunks: IncomingLogChunk[] = [];
    let late = 0;
    for (const delivery of this.waiting.splice(0)) {
      const attempt = attemptOf(delivery);
      if (this.jobs.has(attempt.jobId)) {
        deliveries.push(delivery);
        chunks.push(chunkOf(delivery, attempt));
      } else {
        delivery.acknowledge();
        late++;
      }
    }
    if (late > 0) this.noteLate(late);
    if (chunks.length === 0) return;
    const outcome = this.writer.append(chunks);
    this.noteDisk(!outcome.ok);
    if (!outcome.ok) return;
    for (const delivery of deliveries) delivery.acknowledge();
    const { tasks, cut } = outcome;
    if (tasks.length > 0) this.tell({ v: LOG_PROTOCOL, type: 'stored', tasks });
    for (const task of cut) this.noteCut(task);
  }

  private noteCut(task: TaskId): void {
    const text = 'the log of a task is over its limit: the rest of it is dropped';
    this.tell({ v: LOG_PROTOCOL, type: 'log', level: 'warn', text, attributes: { task_id: task } });
  }

  private noteLate(count: number): void {
    const text = 'log chunks of jobs that do not exist are dropped';
    this.tell({ v: LOG_PROTOCOL, type: 'log', level: 'debug', text, attributes: { chunks: String(count) } });
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

function attemptOf({ message }: LogDelivery): AttemptAddress {
  const attempt = parseAttemptId(message.attempt_id);
  if (attempt === null) {
    throw new Error(`a log message passed the door with the attempt ${message.attempt_id}`);
  }
  return attempt;
}

const chunkOf = (
  { message, storedAt, streamSequence }: LogDelivery,
  attempt: AttemptAddress,
): IncomingLogChunk => ({
  attempt,
  seqNum: message.seq_num,
  stream: message.stream,
  data: message.data,
  at: message.at,
  receivedAt: storedAt,
  streamSequence,
});
