import { equalBytes } from '../../../src/core/cluster/bytes.ts';
import { EMPTY_LOG, type CommitWindow, type LogMark } from '../../../src/core/cluster/log-record.ts';
import { readRecord } from '../../../src/core/cluster/record-codec.ts';
import { PartJoiner } from '../../../src/core/cluster/record-bodies.ts';
import { readWindows } from '../../../src/core/cluster/sections.ts';
import { textHash } from '../../../src/core/text-hash.ts';
import { Violation } from '../violation.ts';
import { modelTools } from './model-tools.ts';

/** State of a store: the number of the last decision, and a hash of all decisions in order. */
export interface Fold {
  readonly decisions: number;
  readonly hash: number;
}

export const EMPTY_FOLD: Fold = { decisions: 0, hash: 0 };

/** Applies a decision to a store. Decisions are numbered by their owner from what it has applied. */
export function foldWindow({ hash }: Fold, { number, changes }: CommitWindow): Fold {
  const text = `${hash} ${number} ${modelTools.decodeText(changes)}`;
  return { decisions: number, hash: textHash(text) };
}

interface Folded {
  readonly fold: Fold;
  readonly digest: Uint8Array;
}

/**
 * The fold of the log, by a rule that is simpler than that of the nodes: a record is valid if it follows the last valid one
 * and belongs to its epoch, or begins a later one.
 */
export class Oracle {
  #mark: LogMark = EMPTY_LOG;
  #fold = EMPTY_FOLD;
  readonly #joiner = new PartJoiner(modelTools);
  readonly #folded = new Map<number, Folded>([[0, { fold: EMPTY_FOLD, digest: EMPTY_LOG.digest }]]);
  /** The last record is that with which the owner gives up the log. */
  #isHandedOver = false;
  readonly #outputs: { readonly position: number; readonly digest: Uint8Array }[] = [];

  get epoch(): number {
    return this.#mark.epoch;
  }

  get fold(): Fold {
    return this.#fold;
  }

  get position(): number {
    return this.#mark.position;
  }

  get outputs(): number {
    return this.#outputs.length;
  }

  /** Takes the next record of the log. */
  onCommitted(position: number, bytes: Uint8Array): void {
    const read = readRecord(bytes, modelTools);
    if ('fault' in read) throw new Violation('records are intact', `${read.fault} at ${position}`);
    const { record } = read;
    const isNext =
      record.kind === 'epoch' ? record.epoch > this.#mark.epoch : record.epoch === this.#mark.epoch;
    if (!isNext || !equalBytes(record.previous.digest, this.#mark.digest)) return;
    this.#mark = { position, digest: record.digest, epoch: record.epoch };
    this.#isHandedOver = record.kind === 'hand-over';
    const body = this.#joiner.add(record);
    if (body === 'damaged') throw new Violation('bodies are complete', `damaged at ${position}`);
    if (body !== null && record.kind === 'changes') this.#decide(readWindows(body), position);
    this.#folded.set(position, { fold: this.#fold, digest: record.digest });
  }

  #decide(windows: readonly CommitWindow[] | null, position: number): void {
    if (windows === null) throw new Violation('bodies are complete', `no windows at ${position}`);
    for (const window of windows) {
      if (window.number !== this.#fold.decisions + 1) {
        const detail = `${window.number} follows ${this.#fold.decisions} at ${position}`;
        throw new Violation('each decision is made once', detail);
      }
      this.#fold = foldWindow(this.#fold, window);
    }
  }

  /** Checks the store of a service after it has applied everything up to a mark. */
  checkStore(name: string, fold: Fold, mark: LogMark): void {
    const folded = this.#folded.get(mark.position);
    const isEqual = folded?.fold.hash === fold.hash && folded.fold.decisions === fold.decisions;
    if (isEqual && equalBytes(folded.digest, mark.digest)) return;
    const expected = folded?.fold.decisions ?? 'nothing';
    const detail = `${name} has ${fold.decisions} decisions at ${mark.position}, the log has ${expected}`;
    throw new Violation('the store is the fold of the log', detail);
  }

  /** Checks output for a record before it is sent. */
  checkOutput(name: string, mark: LogMark, epoch: number): void {
    const folded = this.#folded.get(mark.position);
    if (folded === undefined || !equalBytes(folded.digest, mark.digest))
      throw new Violation('no output before its record', `${name} at ${mark.position}`);
    this.checkEpoch(name, epoch);
    this.#outputs.push({ position: mark.position, digest: mark.digest });
  }

  /** Checks output that writes nothing. */
  checkEpoch(name: string, epoch: number): void {
    if (this.#isHandedOver && epoch === this.#mark.epoch)
      throw new Violation('no output after a hand-over', `${name} in epoch ${epoch}`);
    if (epoch === this.#mark.epoch) return;
    const detail = `${name} sends output of epoch ${epoch} after ${this.#mark.epoch} has begun`;
    throw new Violation('only one epoch sends output', detail);
  }

  /** Checks that a log, which another oracle has read from its beginning, has all records whose output was sent. */
  checkOutputsAreIn(whole: Oracle): void {
    for (const { position, digest } of this.#outputs) {
      const folded = whole.#folded.get(position);
      if (folded === undefined || !equalBytes(folded.digest, digest))
        throw new Violation('no acknowledged decision is lost', `the log has no such record at ${position}`);
    }
  }
}
