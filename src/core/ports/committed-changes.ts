import type { JobId } from '../ids.ts';

/** Rows of the table `job` that one commit writes or removes. Published before the commit. */
export interface JobNotice {
  /** Increases with each notice. */
  readonly number: number;
  readonly keys: readonly string[];
  /** Key prefixes of removed rows. */
  readonly prefixes: readonly string[];
}

/** Jobs changed by commits, for caches of all jobs. */
export interface JobChanges {
  /** The number of the last notice whose commit is on disk. */
  lastAppliedNotice(): number;
  /**
   * Returns the notices since the last call, in order. The notice of a change arrives before a snapshot shows the
   * change.
   */
  take(): readonly JobNotice[];
}

/**
 * Versions of task pages, for caches of pages. Each block of pages has a version, which changes before a commit that
 * writes one of its pages. Blocks may share a version: a changed version means that the pages may have changed.
 */
export interface PageVersions {
  /** Returns the version of the pages from `block * PAGES_PER_BLOCK` on (src/core/lists/step-tasks.ts). */
  of(job: JobId, stepOrder: number, block: number): number;
  /**
   * Returns the version if all its commits are on disk: a snapshot taken afterwards shows them all. Returns null during
   * a commit, which a snapshot may or may not show.
   */
  appliedVersion(job: JobId, stepOrder: number, block: number): number | null;
}
