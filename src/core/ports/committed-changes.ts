import type { JobId } from '../ids.ts';

/** Rows of the table `job` that one commit writes or removes. Told before the commit is made. */
export interface JobNotice {
  /** Rises with each notice. */
  readonly number: number;
  readonly keys: readonly string[];
  /** Of removed rows: all that begin with one of these. */
  readonly prefixes: readonly string[];
}

/** Which jobs commits have changed, for who keeps something of every job in memory. */
export interface JobChanges {
  /** The number of the last notice whose commit is on disk. */
  lastAppliedNotice(): number;
  /** What was told since the last call, in order. Nothing that a snapshot of the store shows is told later. */
  take(): readonly JobNotice[];
}

/**
 * Which task pages commits have changed, for who keeps what it has read of them. A version is that of a block of pages:
 * it changes before a commit that writes one of them. Blocks may share a version: one that has changed says that the
 * pages may have.
 */
export interface PageVersions {
  /** The version of the pages from `block * PAGES_PER_BLOCK` on (src/core/lists/step-tasks.ts). */
  of(job: JobId, stepOrder: number, block: number): number;
  /**
   * The version, when every commit that it counts is on disk: a snapshot that is taken afterwards shows them all. Null
   * while one is being made, which a snapshot may show or not.
   */
  appliedVersion(job: JobId, stepOrder: number, block: number): number | null;
}
