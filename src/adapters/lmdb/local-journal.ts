import { randomInt } from 'node:crypto';
import type { Acceptance, AppliedMark, EncodedSet, Journal, JournalEntry } from '../../core/ports/journal.ts';
import { isFull, JOURNAL_BYTES, openJournalFile, type JournalFile } from './journal.ts';
import { openStateWriter, type StateWriter } from './state-writer.ts';
import { CLUSTER_MARK_KEY, journalPassMark, StoreOpenError } from './store-format.ts';
import type { WriterOptions } from './writer-environment.ts';

/** Upper bound of the number of the first pass. */
const FIRST_PASSES = 2 ** 47;

export interface LocalJournalOptions extends WriterOptions {
  /** Size of the journal's file; default JOURNAL_BYTES. */
  readonly journalBytes?: number;
}

/**
 * The journal of a single node (docs/decisions/journal.md): `journal.bin` makes an entry durable. An entry that a reader
 * waits for, or that does not fit, goes to the tables directly and is durable with their transaction.
 */
class LocalJournal implements Journal {
  readonly #file: JournalFile | null;
  readonly #failed: (error: unknown) => never;
  #pass: number;
  #position = 0;
  /** Set if the file may contain records of this pass. */
  #isBegun = false;

  /** @param file - Null if the disk has no space for one. */
  constructor(file: JournalFile | null, pass: number, failed: (error: unknown) => never) {
    this.#file = file;
    this.#pass = pass;
    this.#failed = failed;
  }

  submit({ sets, isAwaited }: JournalEntry, onAccepted: (acceptance: Acceptance) => void): void {
    const isDurable = !isAwaited && this.#append(sets);
    this.#position++;
    onAccepted({ position: this.#position, isDurable });
  }

  appliedMark(position: number): AppliedMark | null {
    this.#assertLast(position);
    return this.#isBegun ? journalPassMark(this.#pass + 1) : null;
  }

  applied(position: number): void {
    this.#assertLast(position);
    if (!this.#isBegun) return;
    this.#isBegun = false;
    this.#pass++;
    this.#file?.begin(this.#pass);
  }

  close(): void {
    this.#file?.close();
  }

  #append(sets: readonly EncodedSet[]): boolean {
    if (this.#file === null) return false;
    this.#isBegun = true;
    try {
      return this.#file.append(sets);
    } catch (error) {
      return this.#failed(error);
    }
  }

  /** The next pass overwrites every record of the file. */
  #assertLast(position: number): void {
    if (position !== this.#position)
      throw new RangeError(`position ${position} is applied, and the journal has ${this.#position} entries`);
  }
}

/** The tables of a state store, and the journal through which all changes pass. */
export interface JournaledStore {
  readonly writer: StateWriter;
  readonly journal: Journal;
  /** Whether several nodes have the journal. Only its owner may submit entries. */
  readonly isShared: boolean;
  /**
   * Lets another node own the journal: the given one, or null for any that is current. Calls back with its name before it
   * happens, after which the process must end. Rejects with the reason. Null for a single node.
   */
  readonly handOver: ((to: string | null, begun: (successor: string) => void) => Promise<void>) | null;
  /** Does so before a stop of this node, without an end of the process. Null for a single node. */
  readonly leave: (() => Promise<void>) | null;
}

/** Opens the state store of a single node for writing, with its journal. Throws `StoreOpenError`. */
export async function openJournaledStore(options: LocalJournalOptions): Promise<JournaledStore> {
  const writer = await openStateWriter(options);
  try {
    if (writer.appliedMark(CLUSTER_MARK_KEY) !== null)
      throw new StoreOpenError(options.directory, OF_A_CLUSTER);
    return {
      writer,
      journal: openLocalJournal(writer, options),
      isShared: false,
      handOver: null,
      leave: null,
    };
  } catch (error) {
    await writer.close();
    throw error;
  }
}

/** Changes of a single node would be missing in the log, and those of the log here. */
const OF_A_CLUSTER =
  'it is that of a node of a cluster: start the node with the settings of its cluster. ' +
  'To continue with this machine alone, restore a backup of it into another data directory';

function openLocalJournal(writer: StateWriter, options: LocalJournalOptions): Journal {
  const { directory, warn, endProcess } = options;
  const failed = (error: unknown): never =>
    endProcess({
      kind: 'commit-failed',
      detail: `the journal in ${directory} failed: ${describe(error)}`,
    });
  const reservedBytes = writer.tryReserve([]);
  if (reservedBytes === null) {
    warn(withoutJournal(directory));
    return new LocalJournal(null, 0, failed);
  }
  // The records of the last pass may end with a write that was never acknowledged. A random pass cannot be predicted by
  // anyone who chooses the payloads.
  const pass = randomInt(FIRST_PASSES);
  writer.apply([], { mark: journalPassMark(pass), reservedBytes });
  return new LocalJournal(fileOf(writer.storeId, pass, options), pass, failed);
}

/** Returns null if the disk has no space for the file. */
function fileOf(
  storeId: string,
  pass: number,
  { directory, journalBytes = JOURNAL_BYTES, warn }: LocalJournalOptions,
): JournalFile | null {
  try {
    return openJournalFile(directory, storeId, journalBytes, pass);
  } catch (error) {
    if (!isFull(error)) throw new StoreOpenError(directory, describe(error), { cause: error });
    warn(withoutJournal(directory));
    return null;
  }
}

const withoutJournal = (directory: string): string =>
  `the disk has no room for a journal in ${directory}: leases are slower until the next start`;

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));
