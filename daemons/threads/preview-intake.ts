import { parseAttemptId, type AttemptAddress } from '../../src/core/ids.ts';
import type { PreviewDelivery } from '../../src/core/ports/bus.ts';
import type { IncomingPreview, LogStoreWriter } from '../../src/core/ports/log-store.ts';
import { previewImage, type PreviewContent } from '../../src/core/previews/preview-record.ts';
import type { RefusalReason } from '../../src/core/wire/sender-check.ts';
import type { IntakeClock, WorkerLookUp } from './log-intake.ts';
import type { KnownJobs } from './known-jobs.ts';
import { LOG_PROTOCOL_VERSION, type LogNotice } from './log-protocol.ts';

/** Time for which previews are gathered, because each commit waits for the disk: logs go first. */
const GATHER_MS = 250;
/** Previews that wait for a commit: about 3 MiB. Further ones are delivered again by the bus. */
const WAITING_MAX = 64;

export interface PreviewIntakeOptions {
  readonly writer: Pick<LogStoreWriter, 'keepPreviews'>;
  readonly jobs: Pick<KnownJobs, 'has'>;
  readonly workerOf: WorkerLookUp;
  readonly refused: (reason: RefusalReason, delivery: PreviewDelivery) => void;
  readonly tell: (notice: LogNotice) => void;
  readonly clock: Pick<IntakeClock, 'after'>;
}

/**
 * Collects previews for a moment, stores them together and then acknowledges them. It discards those of attempts that do not
 * exist or that their sender does not have, and images that are not what a worker makes. A preview of a deleted job is
 * acknowledged and not stored, because it would never be removed.
 */
export class PreviewIntake {
  private readonly options: PreviewIntakeOptions;
  private waiting: { readonly delivery: PreviewDelivery; readonly preview: IncomingPreview }[] = [];
  private callOffTimer: (() => void) | null = null;

  constructor(options: PreviewIntakeOptions) {
    this.options = options;
  }

  add(delivery: PreviewDelivery): void {
    const { jobs, refused } = this.options;
    const { message, storedAt, sender } = delivery;
    const attempt = parseAttemptId(message.attempt_id);
    if (attempt === null)
      throw new Error(`a preview passed validation with the attempt ${message.attempt_id}`);
    if (!jobs.has(attempt.jobId)) {
      delivery.acknowledge();
      return;
    }
    const fault = this.faultOf(attempt, sender);
    if (fault !== null) {
      delivery.discard();
      refused(fault, delivery);
      return;
    }
    const content = contentOf(delivery);
    if (typeof content === 'string') {
      delivery.discard();
      this.note('warn', 'a preview of a worker is invalid', {
        attempt_id: message.attempt_id,
        reason: content,
      });
      return;
    }
    if (this.waiting.length >= WAITING_MAX) return;
    const { number, path, parameter } = message;
    const preview = { attempt, number, path, parameter, receivedAt: storedAt, content };
    this.waiting.push({ delivery, preview });
    this.callOffTimer ??= this.options.clock.after(GATHER_MS, () => this.flush());
  }

  /** Stores what waits. While the disk is low it is dropped, and the bus delivers it again. */
  flush(): void {
    this.callOffTimer?.();
    this.callOffTimer = null;
    const waiting = this.waiting;
    this.waiting = [];
    if (waiting.length === 0) return;
    const { writer } = this.options;
    if (writer.keepPreviews(waiting.map(({ preview }) => preview)) === 'disk-low') return;
    for (const { delivery } of waiting) delivery.acknowledge();
  }

  private faultOf(attempt: AttemptAddress, sender: PreviewDelivery['sender']): RefusalReason | null {
    const worker = this.options.workerOf(attempt);
    if (worker === null) return 'unknown-attempt';
    return sender === null || worker === sender ? null : 'other-attempt';
  }

  private note(level: 'warn', text: string, attributes: Readonly<Record<string, string>>): void {
    this.options.tell({ v: LOG_PROTOCOL_VERSION, type: 'log', level, text, attributes });
  }
}

/** Returns the content of a preview, or why it is invalid. */
function contentOf({ message: { data, missing } }: PreviewDelivery): PreviewContent | string {
  if (data !== undefined) return previewImage(new Uint8Array(Buffer.from(data, 'base64')));
  return { kind: 'missing', reason: missing ?? '' };
}
