import type { RecordTools } from '../ports/record-tools.ts';
import { equalBytes } from './bytes.ts';
import type { LogMark, LogRecord } from './log-record.ts';
import { readRecord, type EncodedRecord, type RecordFault } from './record-codec.ts';

/** Reasons why a node cannot continue to read a log. */
export type LogFault =
  | RecordFault
  /** The record belongs to another log. */
  | 'other-log'
  /** The record follows a record that this node does not have: one of them was lost or changed. */
  | 'broken-chain';

/**
 * A record of the log is valid, or it is void: an append in flight that the log accepted after another record had taken
 * the place before it. All readers find the same records valid.
 */
export type ChainStep =
  | { readonly kind: 'valid'; readonly record: LogRecord }
  | { readonly kind: 'void' }
  | { readonly kind: 'fault'; readonly fault: LogFault };

const VOID: ChainStep = { kind: 'void' };
const fault = (reason: LogFault): ChainStep => ({ kind: 'fault', fault: reason });

/**
 * The valid records of a log, read in order (docs/decisions/replicated-log.md#valid-and-void-records). `position` is
 * the position of the last record that was read, void ones included.
 */
export class LogChain {
  readonly #logId: Uint8Array;
  readonly #tools: RecordTools;
  #mark: LogMark;
  #position: number;

  /** @param mark - The last valid record that this node has applied. */
  constructor(logId: Uint8Array, mark: LogMark, tools: RecordTools) {
    this.#logId = logId;
    this.#mark = mark;
    this.#position = mark.position;
    this.#tools = tools;
  }

  /** The last valid record. */
  get mark(): LogMark {
    return this.#mark;
  }

  get position(): number {
    return this.#position;
  }

  /** Reads the record after `position`. A record with a fault is not read. */
  read(bytes: Uint8Array): ChainStep {
    const read = readRecord(bytes, this.#tools);
    if ('fault' in read) return fault(read.fault);
    const step = this.#judge(read.record);
    if (step.kind === 'fault') return step;
    this.#position++;
    if (step.kind === 'valid') this.#mark = markOf(read.record);
    return step;
  }

  /** Continues after a record of this node that the log has acknowledged. */
  extend(position: number, epoch: number, { digest }: EncodedRecord): void {
    this.#mark = { position, digest, epoch };
    this.#position = position;
  }

  #judge(record: LogRecord): ChainStep {
    if (!equalBytes(record.logId, this.#logId)) return fault('other-log');
    if (record.position !== this.#position + 1) return fault('broken-chain');
    if (record.epoch < this.#mark.epoch) return VOID;
    const isNewEpoch = record.epoch > this.#mark.epoch;
    if (isNewEpoch !== (record.kind === 'epoch')) return fault('broken-chain');
    const { previous } = record;
    if (previous.position === this.#mark.position && equalBytes(previous.digest, this.#mark.digest))
      return { kind: 'valid', record };
    // Only an append in flight can follow a record that the log has refused. An epoch is begun after the last record.
    if (!isNewEpoch && previous.position > this.#mark.position) return VOID;
    return fault('broken-chain');
  }
}

const markOf = ({ position, digest, epoch }: LogRecord): LogMark => ({ position, digest, epoch });
