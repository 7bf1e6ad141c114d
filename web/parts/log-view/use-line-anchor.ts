import { useCallback, useEffect, useState } from 'react';
import { useSearch } from 'wouter';
import { hashOf, linesOf, type LineRange } from './line-anchor.ts';

/** The lines that the address points at, and what points it at others. */
export function useLineAnchor(): [LineRange | null, (lines: LineRange | null) => void] {
  const [lines, setLines] = useState(() => linesOf(location.hash));
  const search = useSearch();
  useEffect(() => {
    const changed = (): void => setLines(linesOf(location.hash));
    window.addEventListener('hashchange', changed);
    return () => window.removeEventListener('hashchange', changed);
  }, []);
  // Another query of the address would drop the lines from it.
  useEffect(() => {
    if (location.hash !== hashOf(lines))
      history.replaceState(history.state, '', location.pathname + location.search + hashOf(lines));
  }, [lines, search]);
  return [lines, useCallback((next) => setLines(next), [])];
}
