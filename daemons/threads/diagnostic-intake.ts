import { nanosOf } from '../../src/core/diagnostics/nano-time.ts';
import { note } from '../../src/core/diagnostics/record.ts';
import { TokenBucket } from '../../src/core/rate-limit/token-bucket.ts';
import { isUuid, workerId, type WorkerId } from '../../src/core/ids.ts';
import type { DiagnosticMessage } from '../../src/core/wire/bus-messages.ts';
import type { Parsed } from '../../src/core/wire/json-text.ts';
import { LOG_PROTOCOL_VERSION, type LogNotice, type WorkerDiagnostic } from './log-protocol.ts';

/** Rate limit of one worker. Callsheet's own workers stay below it. */
const RATE = { rps: 50, burst: 500 };
/** Maximum number of workers with a rate limit in memory. */
const SOURCES_MAX = 10_000;
/** Minimum time between two log records about dropped records. */
const REPORT_EVERY_MS = 60_000;
/** Minimum time between two refreshes of the store for unknown workers. */
const REFRESH_EVERY_MS = 1000;

export interface DiagnosticIntakeOptions {
  readonly isWorker: (id: WorkerId) => boolean;
  readonly tell: (notice: LogNotice) => void;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/**
 * Accepts diagnostic records of workers. The bus has no authentication, so any process may send them. Only records of
 * registered workers are accepted, each at a limited rate. Other messages are not parsed.
 */
export class DiagnosticIntake {
  private readonly options: DiagnosticIntakeOptions;
  private readonly buckets = new Map<WorkerId, TokenBucket>();
  private readonly told: WorkerDiagnostic[] = [];
  private dropped = { unknown: 0, flooding: 0, malformed: 0 };
  private reportedAt = -Infinity;

  constructor(options: DiagnosticIntakeOptions) {
    this.options = options;
  }

  heard(source: string, read: () => Parsed<DiagnosticMessage>): void {
    const id = isUuid(source) ? workerId(source) : null;
    if (id === null || !this.options.isWorker(id)) this.dropped.unknown++;
    else if (!this.bucketOf(id).take(this.options.now())) this.dropped.flooding++;
    else this.keep(id, read());
  }

  /** Logs how many records were dropped, at most once per minute. Call it periodically. */
  reportDropped(): void {
    const { unknown, flooding, malformed } = this.dropped;
    const now = this.options.now();
    if (unknown + flooding + malformed === 0 || now - this.reportedAt < REPORT_EVERY_MS) return;
    this.reportedAt = now;
    this.dropped = { unknown: 0, flooding: 0, malformed: 0 };
    this.options.tell({
      v: LOG_PROTOCOL_VERSION,
      type: 'log',
      level: 'warn',
      text: 'diagnostic records of workers were dropped',
      attributes: { unknown: String(unknown), flooding: String(flooding), malformed: String(malformed) },
    });
  }

  private keep(id: WorkerId, parsed: Parsed<DiagnosticMessage>): void {
    const at = parsed.ok ? nanosOf(parsed.value.at) : null;
    if (!parsed.ok || at === null || parsed.value.worker_id !== id) {
      this.dropped.malformed++;
      return;
    }
    const { level, msg, attrs } = parsed.value;
    const { worker_id: _claimed, ...others } = attrs;
    this.told.push({ workerId: id, at, note: note(level, msg, { worker_id: id, ...others }) });
    if (this.told.length > 1) return;
    setImmediate(() =>
      this.options.tell({ v: LOG_PROTOCOL_VERSION, type: 'diagnosed', told: this.told.splice(0) }),
    );
  }

  private bucketOf(id: WorkerId): TokenBucket {
    let bucket = this.buckets.get(id);
    if (bucket === undefined) {
      if (this.buckets.size >= SOURCES_MAX) this.buckets.clear();
      bucket = new TokenBucket(RATE, this.options.now());
      this.buckets.set(id, bucket);
    }
    return bucket;
  }
}

interface WorkerTable {
  get(table: 'worker', key: string): unknown;
  refresh(): void;
}

/**
 * Returns a function that reports whether a worker is registered. For unknown workers it refreshes the store at most
 * once per second.
 */
export function workerLookup(store: WorkerTable, now: () => number): (id: WorkerId) => boolean {
  let refreshedAt = -Infinity;
  return (id) => {
    if (store.get('worker', id) !== undefined) return true;
    if (now() - refreshedAt < REFRESH_EVERY_MS) return false;
    refreshedAt = now();
    store.refresh();
    return store.get('worker', id) !== undefined;
  };
}
