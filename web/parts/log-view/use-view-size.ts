import { useEffect, useState, type RefObject } from 'react';

/** Sizes in pixels; only `character` has fractions. */
export interface ViewSize {
  readonly width: number;
  readonly height: number;
  readonly character: number;
}

/** Number of characters measured together, for precision. */
export const PROBE_CHARACTERS = 100;

/** Returns the size of an element and the width of a character. `probe` contains `PROBE_CHARACTERS` characters. */
export function useViewSize(
  element: RefObject<HTMLElement | null>,
  probe: RefObject<HTMLElement | null>,
): ViewSize {
  const [size, setSize] = useState<ViewSize>({ width: 0, height: 0, character: 7.2 });
  useEffect(() => {
    const watched = element.current;
    if (watched === null) return undefined;
    const watcher = new ResizeObserver(() => {
      const character = (probe.current?.getBoundingClientRect().width ?? 0) / PROBE_CHARACTERS;
      setSize({ width: watched.clientWidth, height: watched.clientHeight, character: character || 7.2 });
    });
    watcher.observe(watched);
    return () => watcher.disconnect();
  }, [element, probe]);
  return size;
}
