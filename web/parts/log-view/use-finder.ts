import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { LogFinder, type FinderState } from './log-finder.ts';
import type { SearchQuery } from './log-search.ts';
import type { ReadableLog } from './log-text.ts';
import { startSearchWorker } from './start-search-worker.ts';

/** Searches a log that may grow; an empty query has no matches. `version` is the version of the log. */
export function useFinder(
  log: ReadableLog,
  { text, isRegex, isCaseSensitive, isOncePerLine }: SearchQuery,
  version: number,
): FinderState {
  const finder = useMemo(
    () => new LogFinder(log, { text, isRegex, isCaseSensitive, isOncePerLine }, startSearchWorker),
    [log, text, isRegex, isCaseSensitive, isOncePerLine],
  );
  useEffect(() => {
    if (text !== '') finder.continueSearch();
  }, [finder, text, version]);
  useEffect(() => () => finder.close(), [finder]);
  return useSyncExternalStore(finder.subscribe, finder.state);
}
