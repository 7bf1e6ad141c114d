import { pathMapper } from '../../openjd/template/path-mapping.ts';
import type { StorageLocationRecord } from '../records/storage-location.ts';
import { mappingOf, pathMapOf } from './path-map.ts';

const WINDOWS_PATH = /^(?:[A-Za-z]:|\\\\)/;

/**
 * Returns a function that maps a path, as any compute location writes it, to the path of the same file at `place` (the
 * name of a compute location, or empty for the default roots). A path outside all storage locations is unchanged.
 */
export function pathsAt(
  storage: readonly Pick<StorageLocationRecord, 'roots'>[],
  place: string,
): (path: string) => string {
  const { rules } = mappingOf(pathMapOf(storage, place));
  const asPosix = pathMapper(rules, 'POSIX');
  const asWindows = pathMapper(rules, 'WINDOWS');
  return (path) => {
    const mapped = asPosix(path);
    // The separators are those of the root, because one place may have roots of both forms.
    return WINDOWS_PATH.test(mapped) && mapped !== path ? asWindows(path) : mapped;
  };
}
