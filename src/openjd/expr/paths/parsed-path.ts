import { isUriPath } from '../../primitives/uri-path.ts';
import type { PathStyle } from '../values/value.ts';

/** Formats of paths that are not URIs. */
export type FileStyle = Exclude<PathStyle, 'uri'>;

/**
 * A path in its normal form (specification "Expression Language", sections 1.2.1 and 2.3): file paths as pathlib's
 * PurePosixPath or PureWindowsPath; a URI as written, with scheme and authority as its drive.
 */
export interface ParsedPath {
  readonly style: PathStyle;
  /** `C:` or `\\server\share` on Windows, scheme and authority of a URI; otherwise empty. */
  readonly drive: string;
  /** The separators that make the path absolute within its drive; empty for URIs. */
  readonly root: string;
  /** The components, separated by the separator of the style; null if there are none. A URI can have empty ones. */
  readonly tail: string | null;
}

/** An empty component or a dot, with the separators around it, in text with one kind of separator. */
const VOID_COMPONENTS = {
  posix: /(^|\/)(?:\.?(?:\/|$))+/g,
  windows: /(^|\\)(?:\.?(?:\\|$))+/g,
} as const;
const URI_DRIVE = /^[^:]*:\/\/[^/]*/;
const UNC_DEVICE = '\\\\?\\UNC\\';

/** Returns the style of a text: a text with `scheme://` is a URI in every context. */
export const styleOf = (text: string, style: FileStyle): PathStyle => (isUriPath(text) ? 'uri' : style);

/** Returns the separator of the components. */
export const separatorOf = (style: PathStyle): '/' | '\\' => (style === 'windows' ? '\\' : '/');

/** Parses a path into its normal form. */
export function parsePath(text: string, style: FileStyle): ParsedPath {
  if (isUriPath(text)) {
    const drive = URI_DRIVE.exec(text)?.[0] ?? '';
    return { style: 'uri', drive, root: '', tail: text === drive ? null : text.slice(drive.length + 1) };
  }
  const [drive, root, rest] = style === 'windows' ? splitWindows(text) : splitPosix(text);
  const share = root === '' && isWholeShare(drive);
  return { style, drive, root: share ? '\\' : root, tail: normalTail(rest, style) };
}

/** Formats a path. */
export function pathText({ style, drive, root, tail }: ParsedPath): string {
  if (style === 'uri') return tail === null ? drive : `${drive}/${tail}`;
  if (drive !== '' || root !== '') return drive + root + (tail ?? '');
  if (tail === null) return '.';
  // A first component such as `c:d` is not on a drive: pathlib puts a dot before it.
  return style === 'windows' && driveLength(tail) > 0 ? `.\\${tail}` : tail;
}

/** Returns the normal form of a text (section 2.3.2, `path`). */
export const normalPath = (text: string, style: FileStyle): string => pathText(parsePath(text, style));

/** Returns an external or mapped path unchanged except for the separators of its style. */
export const givenPath = (text: string, style: FileStyle): string =>
  style === 'windows' && !isUriPath(text) ? text.replaceAll('/', '\\') : text;

/** Splits a Windows path into drive, root and rest, as `ntpath.splitroot` does, for a path with backslashes only. */
export function splitWindows(text: string): readonly [drive: string, root: string, rest: string] {
  const path = text.replaceAll('/', '\\');
  if (path.startsWith('\\\\')) return splitShare(path);
  if (path.startsWith('\\')) return ['', '\\', path.slice(1)];
  const drive = driveLength(path);
  if (drive === 0) return ['', '', path];
  const root = path[drive] === '\\' ? '\\' : '';
  return [path.slice(0, drive), root, path.slice(drive + root.length)];
}

/** The length of the drive of a path with a drive letter, which may be any character. */
function driveLength(path: string): number {
  const letter = path.codePointAt(0);
  const colon = letter !== undefined && letter > 0xffff ? 2 : 1;
  return path[colon] === ':' ? colon + 1 : 0;
}

function splitShare(path: string): readonly [drive: string, root: string, rest: string] {
  const start = path.slice(0, UNC_DEVICE.length).toUpperCase() === UNC_DEVICE ? UNC_DEVICE.length : 2;
  const server = path.indexOf('\\', start);
  const share = server === -1 ? -1 : path.indexOf('\\', server + 1);
  if (share !== -1) return [path.slice(0, share), '\\', path.slice(share + 1)];
  return [path, '', ''];
}

/** A share is absolute without a separator after it: `\\server\share` and `\\?\UNC\server\share`, but not a device. */
function isWholeShare(drive: string): boolean {
  if (!drive.startsWith('\\') || drive.endsWith('\\')) return false;
  const parts = drive.split('\\', 7);
  return (parts.length === 4 && !'?.'.includes(parts[2] ?? '')) || parts.length === 6;
}

function splitPosix(text: string): readonly [drive: '', root: string, rest: string] {
  // Exactly two separators at the start are a different root (POSIX 4.13).
  const root = /^\/\/(?!\/)|^\/|^/.exec(text)?.[0] ?? '';
  return ['', root, text.slice(root.length)];
}

/** Returns the components of a text after its root; null if there are none. */
export function normalTail(text: string, style: FileStyle): string | null {
  const separator = separatorOf(style);
  const rest = style === 'windows' ? text.replaceAll('/', '\\') : text;
  const cleaned = rest.replace(VOID_COMPONENTS[style], '$1');
  const tail = cleaned.endsWith(separator) ? cleaned.slice(0, -1) : cleaned;
  return tail === '' ? null : tail;
}
