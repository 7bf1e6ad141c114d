import { ExprFailure } from '../expr-failure.ts';
import { normalTail, pathText, separatorOf, type FileStyle, type ParsedPath } from './parsed-path.ts';
import { anchorOf, countParts } from './path-components.ts';

/** Reports whether a path is absolute (section 2.3.2): on Windows it needs a drive and a root; a URI always is. */
export function isAbsolutePath(path: ParsedPath): boolean {
  if (path.style === 'uri') return true;
  if (path.style === 'posix') return path.root !== '';
  return path.drive.startsWith('\\\\') || (path.drive !== '' && path.root !== '');
}

/**
 * Reports whether a path equals or is below another (section 2.3.2), by whole components; Windows paths are
 * case-insensitive.
 */
export const isRelativeTo = (path: ParsedPath, other: ParsedPath): boolean =>
  componentsBehind(path, other) !== null;

/**
 * Returns the relative path from another path to this one, as a file path in the style of the evaluation. Fails if the
 * path is not relative to the other.
 */
export function relativeTo(path: ParsedPath, other: ParsedPath, style: FileStyle): ParsedPath {
  const behind = componentsBehind(path, other);
  if (behind === null) {
    throw new ExprFailure(`relative_to failed: '${pathText(path)}' is not relative to '${pathText(other)}'`);
  }
  return { style, drive: '', root: '', tail: normalTail(behind, style) };
}

/** Returns the components after those of another path, with separators; null if the path does not begin with them. */
function componentsBehind(path: ParsedPath, other: ParsedPath): string | null {
  if (path.style !== other.style) return null;
  if (path.style === 'uri') return componentsOfUri(path, other);
  const folded = path.style === 'windows' ? (text: string) => text.toLowerCase() : (text: string) => text;
  if (folded(anchorOf(path)) !== folded(anchorOf(other))) return null;
  if (other.tail === null) return path.tail ?? '';
  const separator = separatorOf(path.style);
  const whole = folded(path.tail ?? '') + separator;
  if (!whole.startsWith(folded(other.tail) + separator)) return null;
  // Compared by count, because case folding can change the length of text.
  let at = 0;
  const anchors = anchorOf(other) === '' ? 0 : 1;
  for (let count = countParts(other) - anchors; count > 0; count -= 1) {
    at = (path.tail ?? '').indexOf(separator, at) + 1;
    if (at === 0) return '';
  }
  return (path.tail ?? '').slice(at);
}

/** For URIs: the text after the other URI and a separator. */
function componentsOfUri(path: ParsedPath, other: ParsedPath): string | null {
  if (path.drive !== other.drive) return null;
  if (other.tail === null) return path.tail ?? '';
  if (path.tail === null || path.tail === other.tail) return path.tail === null ? null : '';
  const start = other.tail === '' || other.tail.endsWith('/') ? other.tail : `${other.tail}/`;
  return path.tail.startsWith(start) ? path.tail.slice(start.length) : null;
}
