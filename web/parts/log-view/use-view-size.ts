import { useEffect, useState, type RefObject } from 'react';

/** Sizes in pixels, without fractions but for the width of a character. */
export interface ViewSize {
  readonly width: number;
  readonly height: number;
  readonly character: number;
}

/** So many characters are measured at once, to be exact. */
export const PROBE_CHARACTERS = 100;

/** The size of an element, and of a character in it; `probe` is an element with `PROBE_CHARACTERS` of them. */
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
