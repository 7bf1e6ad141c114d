import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { failStop } from '../../adapters/lmdb/fail-stop.ts';
import { LOG_DISK_LIMITS, openLogWriter, type LogWriter } from '../../adapters/lmdb/log-writer.ts';
import { joinAsLogReader } from '../../adapters/nats/log-bus.ts';
import { parseAttemptId } from '../../core/ids.ts';
import type { LogDelivery } from '../../core/ports/bus.ts';
import type { IncomingLogChunk } from '../../core/ports/log-store.ts';
import { exposeControl } from './control-port.ts';
import { LOG_PROTOCOL, type LogControl, type LogNotice, type LogThreadOptions } from './log-protocol.ts';

/** The logs thread: the only writer of the log store. What has come in one turn of the event loop is stored as one. */
if (parentPort === null) throw new Error('the logs thread is started by the service, not by hand');
await runLogs(parentPort, workerData as LogThreadOptions);

async function runLogs(main: MessagePort, options: LogThreadOptions): Promise<void> {
  const tell = (notice: LogNotice): void => main.postMessage(notice);
  const writer = await open(options, tell);
  if (writer === null) return;

  const intake = new LogIntake(writer, tell);
  const bus = joinAsLogReader(
    { servers: options.bus },
    {
      logged: (delivery) => intake.add(delivery),
      busChanged: (event) => tell({ v: LOG_PROTOCOL, type: 'bus', event }),
    },
  );
  const control: LogControl = {
    stop: async () => {
      await bus.close();
      intake.flush();
      await writer.close();
    },
  };
  exposeControl(control, options.controlPort);
  tell({ v: LOG_PROTOCOL, type: 'ready' });
}

async function open(options: LogThreadOptions, tell: (notice: LogNotice) => void): Promise<LogWriter | null> {
  const log = (text: string): void => tell({ v: LOG_PROTOCOL, type: 'log', level: 'warn', text, attributes: {} });
  try {
    return await openLogWriter({
      directory: options.logDirectory,
      softwareVersion: options.softwareVersion,
      disk: LOG_DISK_LIMITS,
      endProcess: (failure) => failStop(failure, () => undefined),
      warn: log,
    });
  } catch (error) {
    tell({ v: LOG_PROTOCOL, type: 'refused', reason: error instanceof Error ? error.message : String(error) });
    return null;
  }
}

/** Gathers chunks and stores them together. */
class LogIntake {
  private readonly writer: LogWriter;
  private readonly tell: (notice: LogNotice) => void;
  private waiting: LogDelivery[] = [];
  private streamCreatedAt = '';
  private isDiskLow = false;

  constructor(writer: LogWriter, tell: (notice: LogNotice) => void) {
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
      if (attempt === null) throw new Error(`a log message passed the door with the attempt ${delivery.message.attempt_id}`);
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
    const text = isLow ? 'the disk is low: task logs stay on the bus until there is room' : 'task logs are stored again';
    this.tell({ v: LOG_PROTOCOL, type: 'log', level: 'warn', text, attributes: {} });
  }
}
