import { isUriPath } from '../primitives/uri-path.ts';

/**
 * Path mapping rule of a session (specification, "How Jobs Are Run", path mapping): maps paths of another host to paths
 * of this one.
 */
export type PathFormat = 'POSIX' | 'WINDOWS' | 'URI';

export interface PathMappingRule {
  readonly sourceFormat: PathFormat;
  readonly source: string;
  readonly destination: string;
}

/**
 * Returns the mapping function of a host. Of the matching rules, the one with the longest source applies, and of
 * equally long ones the first. A path that matches no rule is returned unchanged. `host` determines the separator.
 */
export function pathMapper(
  rules: readonly PathMappingRule[],
  host: 'POSIX' | 'WINDOWS',
): (path: string) => string {
  const ordered = rules
    .toSorted((a, b) => b.source.length - a.source.length)
    .map((rule) => ({ rule, source: splitPath(rule.source, rule.sourceFormat) }));
  return (path) => {
    // Split once per format: there can be many rules.
    const split = new Map<PathFormat, SplitPath>();
    for (const { rule, source } of ordered) {
      const value = split.get(rule.sourceFormat) ?? splitPath(path, rule.sourceFormat);
      split.set(rule.sourceFormat, value);
      const mapped = mapByRule(value, rule, source, host);
      if (mapped !== null) return mapped;
    }
    return path;
  };
}

/** A path in comparable form: its anchor and its components. */
interface SplitPath {
  /** Root, drive, share, or scheme and authority; empty if the path is relative. */
  readonly anchor: string;
  /** As written. */
  readonly parts: readonly string[];
  readonly trailingSeparator: boolean;
}

function mapByRule(
  value: SplitPath,
  rule: PathMappingRule,
  source: SplitPath,
  host: 'POSIX' | 'WINDOWS',
): string | null {
  if (value.anchor !== source.anchor || value.parts.length < source.parts.length) return null;
  const fold = (part: string): string => (rule.sourceFormat === 'WINDOWS' ? part.toLowerCase() : part);
  if (!source.parts.every((part, index) => fold(part) === fold(value.parts[index] ?? ''))) return null;
  const separator = host === 'WINDOWS' && !isUriPath(rule.destination) ? '\\' : '/';
  const rest = value.parts.slice(source.parts.length).map((part) => separator + part);
  const below = rest.join('') + (value.trailingSeparator ? separator : '');
  return below === '' ? destinationOf(rule, separator) : withoutSeparator(rule, separator) + below;
}

/** Returns the destination of the source itself: without a separator at the end, except that of a root. */
function destinationOf(rule: PathMappingRule, separator: '/' | '\\'): string {
  if (isUriPath(rule.destination)) return rule.destination;
  const destination = withoutSeparator(rule, separator);
  const isRoot = destination === '' || /^[A-Za-z]:$/.test(destination);
  return isRoot && destination !== rule.destination ? destination + separator : destination;
}

/** Returns the destination with the separators of the host, and none at its end. */
function withoutSeparator({ destination }: PathMappingRule, separator: '/' | '\\'): string {
  if (isUriPath(destination)) return destination.replace(/(?<!:\/)\/$/, '');
  const written = separator === '/' ? destination : destination.replaceAll('/', separator);
  return written.replace(/[/\\]+$/, '');
}

/** Returns the keys of a path and of every directory above it. Paths that one rule treats as equal have equal keys. */
export function pathKeys(
  path: string,
  format: PathFormat,
): { readonly whole: string; readonly above: readonly string[] } {
  const { anchor, parts } = splitPath(path, format);
  const folded = format === 'WINDOWS' ? parts.map((part) => part.toLowerCase()) : parts;
  const key = (count: number): string => JSON.stringify([format, anchor, ...folded.slice(0, count)]);
  return { whole: key(parts.length), above: parts.map((_, count) => key(count)) };
}

function splitPath(path: string, format: PathFormat): SplitPath {
  switch (format) {
    case 'POSIX':
      // Exactly two separators at the start are a different root.
      return split(/^\/\/(?!\/)|^\/|^/.exec(path)?.[0] ?? '', path, '/');
    case 'WINDOWS': {
      const text = path.replaceAll('/', '\\');
      // A share (\\server\share), a drive with or without a root (C:\, C:), or a root without a drive (\).
      const anchor = /^(?:\\\\[^\\]+\\[^\\]+\\?|[A-Za-z]:\\?|\\)/.exec(text)?.[0] ?? '';
      const kind = anchor.startsWith('\\\\') ? anchor.replace(/\\$/, '') : anchor;
      return split(kind.toLowerCase(), text.slice(anchor.length), '\\', text);
    }
    case 'URI': {
      const anchor = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]*/.exec(path)?.[0] ?? '';
      // Opaque: every component is compared and kept, including empty ones and dots.
      const parts = path.slice(anchor.length).split('/').slice(1);
      const trailingSeparator = parts.at(-1) === '';
      return {
        anchor: anchor.toLowerCase(),
        parts: trailingSeparator ? parts.slice(0, -1) : parts,
        trailingSeparator,
      };
    }
  }
}

function split(anchor: string, rest: string, separator: string, whole = rest): SplitPath {
  return {
    anchor,
    parts: rest.split(separator).filter((part) => part !== '' && part !== '.'),
    trailingSeparator: whole.length > 1 && whole.endsWith(separator),
  };
}
