import { isUriPath } from '../../primitives/uri-path.ts';
import { normalPath, parsePath, pathText, splitWindows, type FileStyle } from './parsed-path.ts';

/**
 * Returns a child below a path, in its normal form (specification "Expression Language", section 2.1.5).
 *
 * A URI, and a child with a root, replaces the path; on Windows a root keeps the drive of the path, as in pathlib, and the
 * scheme and authority of a URI. Below a URI the child is not normalized, and its components are separated by `/` in
 * every style.
 */
export function joinPaths(path: string, child: string, style: FileStyle): string {
  if (!isUriPath(path) || isUriPath(child)) return pathFromParts([path, child], style);
  const components = style === 'windows' ? child.replaceAll('\\', '/') : child;
  if (isRootRelative(child, style)) return belowUri(rootOfUri(path), components.replace(/^\/+/, ''));
  if (isAnchored(child, style)) return normalPath(child, style);
  if (child === '' || child === '.') return path;
  return belowUri(path, components);
}

/** Reports whether a Windows path has a root and no drive: it is not absolute. */
function isRootRelative(text: string, style: FileStyle): boolean {
  if (style === 'posix') return false;
  const [drive, root] = splitWindows(text);
  return drive === '' && root !== '';
}

const rootOfUri = (uri: string): string => pathText({ ...parsePath(uri, 'posix'), tail: null });

/**
 * Returns the path of some parts, in its normal form (section 2.3.2, `path`): each below the previous ones. After a URI
 * every part is added as written, even if it is empty or contains separators, so that the parts of a URI make the same
 * URI again.
 */
export function pathFromParts(parts: readonly string[], style: FileStyle): string {
  const uri = parts.findLastIndex(isUriPath);
  const below = parts.slice(uri + 1);
  if (uri !== -1 && !below.some((part) => isAnchored(part, style))) {
    const start = parts[uri] ?? '';
    return below.length === 0 ? start : belowUri(start, below.join('/'));
  }
  return normalPath(style === 'windows' ? joinWindows(below) : joinPosix(below), style);
}

/** Removes a separator at the end of the URI, then adds the components. */
function belowUri(uri: string, components: string): string {
  const parsed = parsePath(uri, 'posix');
  if (parsed.tail === null) return `${uri}/${components}`;
  const tail = parsed.tail.endsWith('/') ? parsed.tail.slice(0, -1) : parsed.tail;
  const above = { ...parsed, tail: parsed.tail === '' ? null : tail };
  return `${pathText(above)}/${components}`;
}

function isAnchored(text: string, style: FileStyle): boolean {
  if (style === 'posix') return text.startsWith('/');
  const [drive, root] = splitWindows(text);
  return drive !== '' || root !== '';
}

/** `posixpath.join`. */
function joinPosix(parts: readonly string[]): string {
  const start = parts.findLastIndex((part) => part.startsWith('/'));
  return withSeparators(start === -1 ? parts : parts.slice(start), '/');
}

/** `ntpath.join`. */
function joinWindows(parts: readonly string[]): string {
  let drive = '';
  let root = '';
  let pieces: string[] = [];
  for (const part of parts) {
    const [ownDrive, ownRoot, rest] = splitWindows(part);
    const otherDrive = ownDrive !== '' && ownDrive.toLowerCase() !== drive.toLowerCase();
    if (ownRoot !== '' || otherDrive) {
      if (ownDrive !== '' || drive === '') drive = ownDrive;
      root = ownRoot;
      pieces = [];
    } else if (ownDrive !== '') drive = ownDrive;
    pieces.push(rest);
  }
  const joined = withSeparators(pieces, '\\');
  const share = root === '' && joined !== '' && drive !== '' && !/(?:^.:|\\)$/u.test(drive);
  return drive + (share ? '\\' : root) + joined;
}

/** Joins parts, with a separator after each part that does not end with one. Empty parts at the start are ignored. */
function withSeparators(parts: readonly string[], separator: '/' | '\\'): string {
  const pieces: string[] = [];
  let last = '';
  for (const part of parts) {
    if (last !== '') pieces.push(separator);
    pieces.push(part);
    last = part === '' || part.endsWith(separator) ? '' : part;
  }
  return pieces.join('');
}
