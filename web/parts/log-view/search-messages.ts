import type { MatchTable, SearchQuery } from './log-search.ts';

/** Messages between a page and its search worker. */

export interface SearchTask {
  readonly id: number;
  readonly query: SearchQuery;
  /** Lines, each with a line feed. */
  readonly text: string;
  readonly firstLine: number;
  readonly max: number;
}

export type SearchAnswer =
  | { readonly is: 'ready' }
  | { readonly is: 'found'; readonly id: number; readonly places: MatchTable };
