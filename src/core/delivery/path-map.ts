import { pathKeys, type PathFormat, type PathMappingRule } from '../../openjd/template/path-mapping.ts';
import { isUriPath } from '../../openjd/primitives/uri-path.ts';
import { DEFAULT_ROOT, type StorageLocationRecord } from '../records/storage-location.ts';

/**
 * Where storage is found from one place (docs/contract/lease.md#the-reply): what a worker at a compute location
 * has to know of the storage locations.
 */
export interface PathMap {
  /** Of the worker; empty when it reports none. */
  readonly computeLocation: string;
  readonly locations: readonly MappedLocation[];
}

/** A storage location as it is found from the place. */
export interface MappedLocation {
  /** The root that holds at the place: a path, or `s3://bucket[/prefix]`. */
  readonly root: string;
  /** The roots of other places: what stands below them is found below `root`. */
  readonly sources: readonly PathSource[];
}

export interface PathSource {
  readonly format: PathFormat;
  readonly path: string;
}

/** The part of a storage location that matters here. */
type Storage = Pick<StorageLocationRecord, 'roots'>;

/**
 * The path map of a compute location. A storage location that has no root for the place, and no default, is not found from there and left
 * out. The order of the storage locations is kept: of two that claim the same source the first one counts.
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

/** The kind of path that a root is, by its look. */
function formatOf(root: string): PathFormat {
  if (isUriPath(root)) return 'URI';
  return /^(?:[A-Za-z]:|\\\\)/.test(root) ? 'WINDOWS' : 'POSIX';
}

/** What a session does with paths: how they are mapped, and where files may be copied from and to. */
export interface PathMapping {
  /** The longest source first. */
  readonly rules: readonly PathMappingRule[];
  /** Nothing outside them is staged. */
  readonly roots: readonly string[];
}

/** How a worker that has this path map deals with paths. */
export const mappingOf = (map: PathMap): PathMapping => ({
  rules: rulesOf(map),
  roots: map.locations.map(({ root }) => root),
});

/**
 * The rules of a path map, the longest source first (docs/contract/sessions.md#path-mapping). A root that lies below
 * another location's source gets a rule of its own that leaves it alone, so that what is right already stays so.
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
 * The path maps of a service by compute location: worked out once for each place after a change of the storage locations, so that a lease
 * takes what is there.
 */
export class PathMaps {
  private storage: readonly Storage[] = [];
  private readonly byPlace = new Map<string, PathMap | null>();

  /** The storage locations that there are now, in place of those that were. */
  replace(storage: readonly Storage[]): void {
    this.storage = storage;
    this.byPlace.clear();
  }

  /** Null when no storage location is found from the place. */
  of(computeLocation: string): PathMap | null {
    const known = this.byPlace.get(computeLocation);
    if (known !== undefined) return known;
    const map = pathMapOf(this.storage, computeLocation);
    const result = map.locations.length === 0 ? null : map;
    this.byPlace.set(computeLocation, result);
    return result;
  }
}
