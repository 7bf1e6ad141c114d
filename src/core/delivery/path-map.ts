import { pathKeys, type PathFormat, type PathMappingRule } from '../../openjd/template/path-mapping.ts';
import { isUriPath } from '../../openjd/primitives/uri-path.ts';
import { DEFAULT_ROOT, type StorageLocationRecord } from '../records/storage-location.ts';

/** Roots of the storage locations for the workers at one compute location (docs/contract/lease.md#the-reply). */
export interface PathMap {
  /** Compute location of the worker; empty if it reports none. */
  readonly computeLocation: string;
  readonly locations: readonly MappedLocation[];
}

/** A storage location with its root at the compute location. */
export interface MappedLocation {
  /** The root at the compute location: a path, or `s3://bucket[/prefix]`. */
  readonly root: string;
  /** The roots at other compute locations: paths below them map to paths below `root`. */
  readonly sources: readonly PathSource[];
}

export interface PathSource {
  readonly format: PathFormat;
  readonly path: string;
}

/** The field of a storage location that the path map uses. */
type Storage = Pick<StorageLocationRecord, 'roots'>;

/**
 * Returns the path map of a compute location. A storage location without a root for it and without a default is left
 * out. The order of the storage locations is kept: if two have the same source, the first one applies.
 */
export function pathMapOf(storage: readonly Storage[], computeLocation: string): PathMap {
  const locations = storage.flatMap(({ roots }) => {
    const own = roots.find(({ place }) => place === computeLocation);
    const root = (own ?? roots.find(({ place }) => place === DEFAULT_ROOT))?.root;
    if (root === undefined) return [];
    const others = new Set(roots.map((other) => other.root).filter((other) => other !== root));
    return { root, sources: [...others].map((path) => ({ format: formatOf(path), path })) };
  });
  return { computeLocation, locations };
}

/** Returns the path format that a root is written in. */
function formatOf(root: string): PathFormat {
  if (isUriPath(root)) return 'URI';
  return /^(?:[A-Za-z]:|\\\\)/.test(root) ? 'WINDOWS' : 'POSIX';
}

/** Path mapping of a session: its rules, and the roots that files may be copied from and to. */
export interface PathMapping {
  /** The longest source first. */
  readonly rules: readonly PathMappingRule[];
  /** Files outside of these roots are not staged. */
  readonly roots: readonly string[];
}

/** Returns the path mapping for a worker that has this path map. */
export const mappingOf = (map: PathMap): PathMapping => ({
  rules: rulesOf(map),
  roots: map.locations.map(({ root }) => root),
});

/**
 * Returns the rules of a path map, the longest source first (docs/contract/sessions.md#path-mapping). A root below
 * another location's source gets a rule that maps it to itself, so that correct paths are not changed.
 */
function rulesOf({ locations }: PathMap): readonly PathMappingRule[] {
  const rules = locations.flatMap(({ root, sources }) =>
    sources.map(({ format, path }) => ({ sourceFormat: format, source: path, destination: root })),
  );
  const sources = new Set(rules.map((rule) => pathKeys(rule.source, rule.sourceFormat).whole));
  const kept = [...new Set(locations.map(({ root }) => root))].flatMap((root) => {
    const format = formatOf(root);
    const { above, whole } = pathKeys(root, format);
    const isThreatened = above.some((key) => sources.has(key)) && !sources.has(whole);
    return isThreatened ? { sourceFormat: format, source: root, destination: root } : [];
  });
  return [...rules, ...kept].sort((a, b) => b.source.length - a.source.length);
}

/**
 * Path maps by compute location. They are computed once after each change of the storage locations, so that a lease
 * only looks them up.
 */
export class PathMaps {
  private storage: readonly Storage[] = [];
  private readonly byPlace = new Map<string, PathMap | null>();

  /** Replaces all storage locations. */
  replace(storage: readonly Storage[]): void {
    this.storage = storage;
    this.byPlace.clear();
  }

  /** Returns the path map of a compute location, or null if no storage location has a root there. */
  of(computeLocation: string): PathMap | null {
    const known = this.byPlace.get(computeLocation);
    if (known !== undefined) return known;
    const map = pathMapOf(this.storage, computeLocation);
    const result = map.locations.length === 0 ? null : map;
    this.byPlace.set(computeLocation, result);
    return result;
  }
}
