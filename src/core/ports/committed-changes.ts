import type { JobId } from '../ids.ts';

/** Rows of the table `job` that one transaction of the store writes or removes. Published before the transaction. */
export interface JobNotice {
  /** Number of the transaction. */
  readonly transaction: number;
  readonly keys: readonly string[];
  /** Key prefixes of removed rows. */
  readonly prefixes: readonly string[];
}

/** Numbers of the transactions of the store: each has the next one, from 1. */
export interface Transactions {
  /** Returns the number of the last readable transaction: snapshots taken afterwards show it. 0 before the first. */
  lastReadable(): number;
}

/** Jobs changed by transactions, for caches of all jobs. */
export interface JobChanges extends Transactions {
  /**
   * Returns the notices since the last call, in order. The notice of a change arrives before a snapshot shows the
   * change.
   */
  take(): readonly JobNotice[];
}

/**
 * Versions of task pages, for caches of pages. The version of a block of pages is the number of the last transaction
 * that writes one of them, set before that transaction. Blocks may share a version: a changed version means that the
 * pages may have changed.
 */
export interface PageVersions {
  /** Returns the version of the pages from `block * PAGES_PER_BLOCK` on (src/core/lists/step-tasks.ts). */
  of(job: JobId, stepOrder: number, block: number): number;
  /**
   * Returns the version if its transaction is readable: a snapshot taken afterwards shows it. Returns null during that
   * transaction, which a snapshot may or may not show.
   */
  readableVersion(job: JobId, stepOrder: number, block: number): number | null;
}
