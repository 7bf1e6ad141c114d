import { isUriPath } from '../../primitives/uri-path.ts';
import { normalPath, parsePath, pathText, splitWindows, type FileStyle } from './parsed-path.ts';

/**
 * A child below a path, in its normal form (specification "Expression Language", section 2.1.5). A URI, and a child with a root, replaces the
 * path; on Windows a root keeps the drive of the path, as pathlib does. Below a URI the child is kept as it is written, with `/` between its
 * components whatever the style.
 */
export function joinPaths(path: string, child: string, style: FileStyle): string {
  if (!isUriPath(path) || isUriPath(child)) return pathFromParts([path, child], style);
  if (isAnchored(child, style)) return normalPath(child, style);
  if (child === '' || child === '.') return path;
  return belowUri(path, style === 'windows' ? child.replaceAll('\\', '/') : child);
}

/**
 * The path of some parts, in its normal form (section 2.3.2, `path`): each below the ones before it. Behind a URI every part is one component, or more,
 * as it is written, an empty one too, so that the parts of a URI make the same URI again.
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

/** Without the separator that ends the URI, if there is one, then the components. */
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

/** Parts behind each other, with a separator where the part before does not end with one. Empty ones at the start count for nothing. */
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
