import { nanosOfMs, nanoText } from '../../src/core/diagnostics/nano-time.ts';
import { note, type DiagnosticNote } from '../../src/core/diagnostics/record.ts';
import { TokenBucket } from '../../src/core/rate-limit/token-bucket.ts';
import type { WorkerId } from '../../src/core/ids.ts';
import type { SendOutcome } from '../../src/core/ports/bus.ts';
import type { DiagnosticMessage } from '../../src/core/wire/bus-messages.ts';

const RATE = { rps: 20, burst: 200 };
/** Maximum number of records that wait for a connection. */
const WAITING_MAX = 256;

export interface DiagnosticSenderOptions {
  readonly workerId: WorkerId;
  readonly publish: (message: DiagnosticMessage) => SendOutcome;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  /** Milliseconds of a monotonic clock. */
  readonly monotonicClock: () => number;
}

/**
 * Sends the log records of this daemon to the service (docs/contract/rest.md#diagnostics): at a limited rate, best
 * effort.
 */
export class DiagnosticSender {
  private readonly options: DiagnosticSenderOptions;
  private readonly bucket: TokenBucket;
  /** Oldest first. */
  private readonly waiting: DiagnosticMessage[] = [];
  private isWelcome = false;
  private leftOut = 0;
  private lastAt = 0n;

  constructor(options: DiagnosticSenderOptions) {
    this.options = options;
    this.bucket = new TokenBucket(RATE, options.monotonicClock());
  }

  heard(record: DiagnosticNote): void {
    if (!this.bucket.take(this.options.monotonicClock())) {
      this.leftOut++;
      return;
    }
    if (this.leftOut > 0) {
      const text = 'too many records of this worker; some were dropped';
      this.send(this.messageOf(note('WARN', text, { records: String(this.leftOut) })));
      this.leftOut = 0;
    }
    this.send(this.messageOf(record));
  }

  /**
   * Sends the waiting records. Call it when the service has replied to this registered worker; before that it would
   * drop them.
   */
  flush(): void {
    this.isWelcome = true;
    for (const message of this.waiting.splice(0)) this.send(message);
  }

  private send(message: DiagnosticMessage): void {
    const isInTurn = this.isWelcome && this.waiting.length === 0;
    if (isInTurn && this.options.publish(message) !== 'disconnected') return;
    this.waiting.push(message);
    if (this.waiting.length <= WAITING_MAX) return;
    this.waiting.shift();
    this.leftOut++;
  }

  private messageOf({ level, msg, attrs }: DiagnosticNote): DiagnosticMessage {
    const now = nanosOfMs(this.options.wallClock());
    this.lastAt = now > this.lastAt ? now : this.lastAt + 1n;
    return { v: 1, worker_id: this.options.workerId, at: nanoText(this.lastAt), level, msg, attrs };
  }
}
