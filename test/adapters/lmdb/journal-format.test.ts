import fc from 'fast-check';
import { test } from 'tap';
import {
  JOURNAL_HEADER_BYTES,
  journalHeader,
  readRecords,
  RECORD_HEADER_BYTES,
  storeOfJournal,
  writeRecord,
} from '../../../src/adapters/lmdb/journal-format.ts';

const STORE = '0191c0de-0000-4000-8000-000000000001';
/** Unit that a disk writes atomically. */
const SECTOR = 512;
const FILE_BYTES = 24 * 1024;

/** Repeating lengths, so that records of two passes have the same offsets. They end at and around sector boundaries. */
const payload: fc.Arbitrary<Uint8Array> = fc
  .record({
    length: fc.oneof(
      fc.constantFrom(0, 1, 16, 20, 100),
      fc.integer({ min: SECTOR - RECORD_HEADER_BYTES - JOURNAL_HEADER_BYTES - 2, max: SECTOR + 2 }),
      fc.nat(1200),
    ),
    byte: fc.nat(255),
  })
  .map(({ length, byte }) => new Uint8Array(length).map((_, at) => byte + at));

type Append = readonly Uint8Array[];
type Pass = readonly Append[];

const pass: fc.Arbitrary<Pass> = fc.array(fc.array(payload, { minLength: 1, maxLength: 3 }), {
  maxLength: 5,
});
/** At most 3 * 5 * (1200 + 20) bytes each, which fit. */
const passes = fc.array(pass, { minLength: 1, maxLength: 4 });
const written = fc.record({ passes, first: fc.nat(2 ** 40) });

/** The file after appends, pass after pass, each from the start. */
class Image {
  bytes = Buffer.alloc(FILE_BYTES);
  /** The file before the last append, and the offset of that append. */
  before = this.bytes;
  lastFrom = JOURNAL_HEADER_BYTES;
  /** End offsets of the records of the last pass. */
  ends: number[] = [];
  pass = 0;
  /** Records of the last pass, and the number acknowledged before its last append. */
  records: Uint8Array[] = [];
  acknowledged = 0;

  constructor(all: readonly Pass[], first: number) {
    journalHeader(STORE).copy(this.bytes);
    for (const [at, appends] of all.entries()) this.#begin(first + at, appends);
  }

  #begin(number: number, appends: Pass): void {
    this.pass = number;
    this.records = [];
    this.ends = [];
    this.acknowledged = 0;
    let at = JOURNAL_HEADER_BYTES;
    this.before = Buffer.from(this.bytes);
    this.lastFrom = at;
    for (const append of appends) {
      this.before = Buffer.from(this.bytes);
      this.lastFrom = at;
      this.acknowledged = this.records.length;
      for (const bytes of append) {
        at = writeRecord(this.bytes, at, { pass: number, place: this.records.length, bytes });
        this.ends.push(at);
        this.records.push(bytes);
      }
    }
  }

  get lastTo(): number {
    return this.ends.at(-1) ?? this.lastFrom;
  }

  /** Returns the number of records of the last pass that end at or before this offset. */
  wholeUpTo(offset: number): number {
    return this.ends.filter((end) => end <= offset).length;
  }
}

const read = (file: Buffer, passNumber: number): Uint8Array[] =>
  readRecords(file, passNumber).map((bytes) => new Uint8Array(bytes));

/** Asserts that the records read are the first recorded ones, at least `atLeast` of them. */
function isPrefix(found: readonly Uint8Array[], recorded: readonly Uint8Array[], atLeast: number): boolean {
  return (
    found.length >= atLeast &&
    found.length <= recorded.length &&
    found.every((bytes, at) => Buffer.compare(bytes, recorded[at] ?? Buffer.alloc(0)) === 0)
  );
}

test('records are read back, whatever earlier passes left in the file', (t) => {
  fc.assert(
    fc.property(written, ({ passes: all, first }) => {
      const image = new Image(all, first);
      return isPrefix(read(image.bytes, image.pass), image.records, image.records.length);
    }),
    { numRuns: 500 },
  );
  t.end();
});

test('an older pass yields only the records at the start, and a later one yields none', (t) => {
  fc.assert(
    fc.property(written, ({ passes: all, first }) => {
      const image = new Image(all, first);
      if (read(image.bytes, image.pass + 1).length > 0) return false;
      // A record of the newest pass overwrites the first one of the older passes.
      return image.records.length === 0 || read(image.bytes, image.pass - 1).length === 0;
    }),
    { numRuns: 200 },
  );
  t.end();
});

test('intact records of an older pass behind the newest records are not read', (t) => {
  const bytes = new Uint8Array(100).fill(7);
  const same: Pass = [[bytes], [bytes], [bytes]];
  const image = new Image([same, [[bytes]]], 4);
  t.equal(read(image.bytes, 5).length, 1);
  const older = new Image([same], 4);
  t.strictSame(
    image.bytes.subarray(image.lastTo),
    older.bytes.subarray(image.lastTo),
    'two records of pass 4 remain after it',
  );
  t.end();
});

test('a truncated file yields the records before the cut', (t) => {
  fc.assert(
    fc.property(written, fc.nat(FILE_BYTES), ({ passes: all, first }, length) => {
      const image = new Image(all, first);
      const found = read(image.bytes.subarray(0, length), image.pass);
      return isPrefix(found, image.records, image.wholeUpTo(length));
    }),
    { numRuns: 500 },
  );
  t.end();
});

test('a changed byte ends the records before the damaged one', (t) => {
  fc.assert(
    fc.property(
      written,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 1, max: 255 }),
      ({ passes: all, first }, share, flip) => {
        const image = new Image(all, first);
        // Most of the file is empty; only changes within records matter.
        const used = Math.max(image.lastTo - JOURNAL_HEADER_BYTES, 1);
        const at = JOURNAL_HEADER_BYTES + Math.min(used - 1, Math.floor(share * used));
        image.bytes.writeUInt8(image.bytes.readUInt8(at) ^ flip, at);
        const hit = image.wholeUpTo(at);
        const found = read(image.bytes, image.pass);
        return isPrefix(found, image.records, hit) && (hit === image.records.length || found.length === hit);
      },
    ),
    { numRuns: 1000 },
  );
  t.end();
});

/** State of each sector after the last append. */
const sectors = fc.array(fc.constantFrom('new', 'old', 'zeros', 'ones'), {
  minLength: FILE_BYTES / SECTOR,
  maxLength: FILE_BYTES / SECTOR,
  size: 'max',
});

test('a torn append yields no unrecorded data, and everything acknowledged before it', (t) => {
  let torn = 0;
  fc.assert(
    fc.property(written, sectors, ({ passes: all, first }, fates) => {
      const image = new Image(all, first);
      if (image.records.length === 0) return read(image.bytes, image.pass).length === 0;
      const file = Buffer.from(image.bytes);
      for (const [sector, fate] of fates.entries()) {
        if (fate === 'new') continue;
        // A disk changes no byte outside the written range; inside a sector it may change every byte.
        const from = Math.max(sector * SECTOR, image.lastFrom);
        const to = Math.min((sector + 1) * SECTOR, image.lastTo);
        if (from >= to) continue;
        torn++;
        if (fate === 'old') image.before.copy(file, from, from, to);
        else file.fill(fate === 'zeros' ? 0 : 255, from, to);
      }
      return isPrefix(read(file, image.pass), image.records, image.acknowledged);
    }),
    { numRuns: 1000 },
  );
  t.ok(torn > 1000, `${torn} sectors were torn`);
  t.end();
});

test('lengths beyond the file, random bytes and files of any size cause no error', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300, size: 'max' }), fc.nat(3), (noise, passNumber) => {
      const file = Buffer.concat([journalHeader(STORE), noise]);
      return readRecords(file, passNumber).length === 0;
    }),
    { numRuns: 1000 },
  );
  const huge = new Image([[[new Uint8Array(10)]]], 1);
  huge.bytes.writeUInt32LE(0xffffffff, JOURNAL_HEADER_BYTES);
  t.strictSame(readRecords(huge.bytes, 1), []);
  t.strictSame(readRecords(Buffer.alloc(0), 0), []);
  t.strictSame(readRecords(Buffer.alloc(FILE_BYTES), 0), [], 'zeros are not a record of pass 0');
  t.end();
});

test('the header identifies the store; a short, empty or changed header identifies none', (t) => {
  const header = journalHeader(STORE);
  t.equal(header.length, JOURNAL_HEADER_BYTES);
  t.equal(storeOfJournal(Buffer.concat([header, Buffer.alloc(100)])), STORE);
  t.equal(storeOfJournal(header.subarray(0, JOURNAL_HEADER_BYTES - 1)), null);
  t.equal(storeOfJournal(Buffer.alloc(0)), null);
  t.equal(storeOfJournal(Buffer.alloc(JOURNAL_HEADER_BYTES)), null);
  const changed = Buffer.from(header);
  changed.writeUInt8(header.readUInt8(3) ^ 1, 3);
  t.equal(storeOfJournal(changed), null);
  t.end();
});

test('a record that is not the next one of its pass ends the journal', (t) => {
  const file = Buffer.alloc(FILE_BYTES);
  journalHeader(STORE).copy(file);
  const records = [
    [0, 1],
    [1, 2],
    [3, 3],
  ] as const;
  let at = JOURNAL_HEADER_BYTES;
  for (const [place, byte] of records)
    at = writeRecord(file, at, { pass: 5, place, bytes: Uint8Array.of(byte) });
  t.same(
    readRecords(file, 5).map((record) => [...new Uint8Array(record)]),
    [[1], [2]],
  );
  t.same(readRecords(file, 4), []);
  t.end();
});
