import type { OutputSearch } from '../../core/previews/declared-outputs.ts';

/** The work of the process that makes previews. Either `paths` or `searches` is empty. */
export interface PreviewWork {
  /** Images that the task has named. */
  readonly paths: readonly string[];
  readonly searches: readonly OutputSearch[];
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** A file that a search has found. */
export interface FoundOutput {
  /** Position of the search. */
  readonly search: number;
  readonly path: string;
}
