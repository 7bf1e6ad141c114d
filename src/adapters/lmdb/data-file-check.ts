import { accessSync, closeSync, constants, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { DATA_FILE } from './environment.ts';

/**
 * lmdb 3.5.6 ends the process with a segmentation fault if an environment cannot be opened (use after free). The file
 * is therefore checked before. Layout of a meta page, the first two of the file: flags u16 at 18, magic u32 at 24,
 * version u32 at 28, in the first page also the page size u32 at 48.
 */
const META_PAGES = 2;
const META_BYTES = 52;
const FLAGS_AT = 18;
const FLAG_META = 0x08;
const MAGIC_AT = 24;
const MAGIC = 0xbeefc0de;
const VERSION_AT = 28;
const VERSION_MASK = 0xffff;
const DATA_VERSION = 2;
const PAGE_SIZE_AT = 48;
const MIN_PAGE_BYTES = 256;
const MAX_PAGE_BYTES = 65_536;

/** Returns why LMDB could not open the data file of the directory, or null if it can, or if there is none yet. */
export function checkDataFile(directory: string): string | null {
  const path = join(directory, DATA_FILE);
  if (!existsSync(path)) return null;
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch {
    return `${path} is not readable and writable for this user`;
  }
  const file = openSync(path, 'r');
  try {
    if (fstatSync(file).size === 0) return null;
    const pageBytes = pageBytesOf(file);
    for (let page = 0; page < META_PAGES; page++) {
      if (pageBytes === null || !isMetaPage(file, page * pageBytes)) {
        return `${path} is damaged or not a store: meta page ${page} is not one of LMDB's`;
      }
    }
    return null;
  } finally {
    closeSync(file);
  }
}

function pageBytesOf(file: number): number | null {
  const meta = Buffer.alloc(META_BYTES);
  if (readSync(file, meta, 0, META_BYTES, 0) < META_BYTES) return null;
  const bytes = meta.readUInt32LE(PAGE_SIZE_AT);
  return bytes >= MIN_PAGE_BYTES && bytes <= MAX_PAGE_BYTES ? bytes : null;
}

function isMetaPage(file: number, at: number): boolean {
  const meta = Buffer.alloc(META_BYTES);
  return (
    readSync(file, meta, 0, META_BYTES, at) === META_BYTES &&
    (meta.readUInt16LE(FLAGS_AT) & FLAG_META) !== 0 &&
    meta.readUInt32LE(MAGIC_AT) === MAGIC &&
    (meta.readUInt32LE(VERSION_AT) & VERSION_MASK) === DATA_VERSION
  );
}
