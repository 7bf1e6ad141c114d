import { useCallback, useEffect, useState } from 'react';
import { useSearch } from 'wouter';
import { hashOf, linesOf, type LineRange } from './line-anchor.ts';

/** Returns the lines in the page address, and a function that sets them. */
export function useLineAnchor(): [LineRange | null, (lines: LineRange | null) => void] {
  const [lines, setLines] = useState(() => linesOf(location.hash));
  const search = useSearch();
  useEffect(() => {
    const changed = (): void => setLines(linesOf(location.hash));
    window.addEventListener('hashchange', changed);
    return () => window.removeEventListener('hashchange', changed);
  }, []);
  // A change of the query would otherwise drop the lines from the address.
  useEffect(() => {
    if (location.hash !== hashOf(lines))
      history.replaceState(history.state, '', location.pathname + location.search + hashOf(lines));
  }, [lines, search]);
  return [lines, useCallback((next) => setLines(next), [])];
}
