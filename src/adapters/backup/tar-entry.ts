/**
 * Entries of a tar file (POSIX ustar) in backups: plain files, with sizes in octal up to 8 GiB and in base 256 above,
 * as in GNU tar. The header follows from name, size and time alone, so that a reader knows each of its bytes.
 */
export interface TarEntry {
  readonly name: string;
  readonly bytes: number;
  /** Seconds since the epoch. */
  readonly modifiedAt: number;
}

export const TAR_BLOCK_BYTES = 512;
/** Two empty blocks end a tar file. */
export const TAR_END_BYTES = 2 * TAR_BLOCK_BYTES;

const NAME_BYTES = 100;
const OCTAL_SIZE_MAX = 8 ** 11 - 1;
const SIZE_AT = 124;
const CHECKSUM_AT = 148;
const SUM_BYTES = 8;

/** Returns the header block of an entry. A name of more than 100 ASCII bytes is a bug of the program. */
export function tarHeader({ name, bytes, modifiedAt }: TarEntry): Buffer {
  if (Buffer.byteLength(name) > NAME_BYTES) throw new Error(`a name too long for a tar entry: ${name}`);
  const header = Buffer.alloc(TAR_BLOCK_BYTES);
  header.write(name, 0);
  header.write('0000600\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  if (bytes <= OCTAL_SIZE_MAX) header.write(`${octal(bytes, 11)} `, SIZE_AT);
  else {
    header.writeUInt8(0x80, SIZE_AT);
    header.writeBigUInt64BE(BigInt(bytes), SIZE_AT + 4);
  }
  header.write(`${octal(modifiedAt, 11)} `, 136);
  header.fill(' ', CHECKSUM_AT, CHECKSUM_AT + SUM_BYTES);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  header.write('0000000\0', 329);
  header.write('0000000\0', 337);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, CHECKSUM_AT);
  return header;
}

/** Returns the number of zero bytes after the data of an entry. */
export const tarPadding = (bytes: number): number =>
  (TAR_BLOCK_BYTES - (bytes % TAR_BLOCK_BYTES)) % TAR_BLOCK_BYTES;

/** Returns the size in a header block, or null if it is not the header of a plain file. */
export function tarEntrySize(header: Buffer): number | null {
  if (header.toString('latin1', 257, 262) !== 'ustar') return null;
  if ((header[SIZE_AT] ?? 0) === 0x80) return Number(header.readBigUInt64BE(SIZE_AT + 4));
  const text = header.toString('latin1', SIZE_AT, SIZE_AT + 11);
  return /^[0-7]{11}$/.test(text) ? parseInt(text, 8) : null;
}

/** Returns the name in a header block. */
export const tarEntryName = (header: Buffer): string =>
  header.toString('utf8', 0, NAME_BYTES).replace(/\0.*$/su, '');

const octal = (value: number, digits: number): string => Math.floor(value).toString(8).padStart(digits, '0');
