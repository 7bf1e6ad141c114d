import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { etagOf } from '../pipeline/conditional.ts';

/** Loads the router of the application. */
export const INDEX = '/index.html';
/** File names below this path contain a hash of the content. */
const HASHED = '/assets/';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.gif': 'image/gif',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};
const OTHER_TYPE = 'application/octet-stream';

/** Content codings of prebuilt files by file extension, smallest first. */
const CODINGS = { br: '.br', gzip: '.gz' } as const;
export type Coding = keyof typeof CODINGS;

/** A file of the application. */
export interface PageFile {
  readonly contentType: string;
  /** True if the name contains a hash, so that caches need no revalidation. */
  readonly isHashed: boolean;
  /** Entity tag of the uncompressed bytes, without `W/`. */
  readonly tag: string;
  readonly bytes: Uint8Array;
  /** Compressed versions from the build. */
  readonly coded: ReadonlyMap<Coding, Uint8Array>;
}

/** Files of the application by URL path, which starts with a slash. */
export type Bundle = ReadonlyMap<string, PageFile>;

/**
 * Reads the bundle of the web application from a directory; null if there is none. Skips dot files (the bundler's
 * manifest) and everything that is not a regular file.
 */
export function readBundle(directory: string): Bundle | null {
  if (!existsSync(join(directory, INDEX))) return null;
  const contents = new Map<string, Uint8Array>();
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const parts = relative(directory, file).split(sep);
    if (parts.some((part) => part.startsWith('.'))) continue;
    contents.set(`/${parts.join('/')}`, readFileSync(file));
  }
  const bundle = new Map<string, PageFile>();
  for (const [path, bytes] of contents) {
    if (!isCodedFile(path, contents)) bundle.set(path, pageFile(path, bytes, contents));
  }
  return bundle;
}

const isCodedFile = (path: string, contents: ReadonlyMap<string, unknown>): boolean =>
  Object.values(CODINGS).some((end) => path.endsWith(end) && contents.has(path.slice(0, -end.length)));

function pageFile(path: string, bytes: Uint8Array, contents: ReadonlyMap<string, Uint8Array>): PageFile {
  const coded = new Map<Coding, Uint8Array>();
  for (const coding of ['br', 'gzip'] as const) {
    const compressed = contents.get(`${path}${CODINGS[coding]}`);
    if (compressed !== undefined) coded.set(coding, compressed);
  }
  return {
    contentType: CONTENT_TYPES[extname(path).toLowerCase()] ?? OTHER_TYPE,
    isHashed: path.startsWith(HASHED),
    tag: etagOf(bytes),
    bytes,
    coded,
  };
}
