import { mutantsOf, type Mutant } from './mutant.ts';

const LMDB = 'test/adapters/lmdb';
const STANDBY = 'test/daemons/threads/standby/preloaded-jobs.test.ts';

/** Mutants of the store on disk and in memory. */
export const STORE_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(
    'src/adapters/lmdb/touched-jobs.ts',
    [STANDBY],
    [
      'settings are not noticed',
      'if (SETTINGS_TABLES.has(table)) this.#isEveryJob = true;',
      'if (false) return;',
    ],
    ['steps are not noticed', "  'step',\n", ''],
  ),
  ...mutantsOf(
    'daemons/threads/standby/preloaded-jobs.ts',
    [STANDBY],
    [
      'notices that wait at the beginning are lost',
      '      this.#noticed(received.message);\n    }\n    this.#phase',
      '    }\n    this.#phase',
    ],
    ['states of other rows are kept', 'if (!reads.isCovered) this.#uncovered.add(id);\n      else ', ''],
    ['a state is given away twice', '    this.#states.delete(id);\n    return state;', '    return state;'],
    ['a touched job is loaded at once', '!this.#touched.has(id) && ', ''],
  ),
  ...mutantsOf(
    'src/adapters/lmdb/journal-format.ts',
    [`${LMDB}/journal-format.test.ts`],
    ['records of an earlier pass are read', '      file.readDoubleLE(at + CHECKED_FROM) === pass &&\n', ''],
    [
      'a damaged record is read',
      ' &&\n      file.readUInt32LE(at + CRC_AT) === checksum(file, at, end);',
      ';',
    ],
    [
      'records out of sequence are read',
      '      file.readUInt32LE(at + CHECKED_FROM + 8) === records.length &&\n',
      '',
    ],
  ),
  ...mutantsOf(
    'src/adapters/lmdb/journal.ts',
    [`${LMDB}/journal.test.ts`],
    [
      'the journal of another store is replayed',
      'if (owner !== storeId) throw new StoreOpenError(directory, `the journal ${FILE} is that of another store`);',
      '',
    ],
    [
      'a pass begins after the records of the last one',
      '      place = 0;\n      end = 0;\n    },',
      '      place = 0;\n    },',
    ],
    ['a full disk ends the process', '        if (isFull(error)) return false;\n', ''],
    [
      'a record is acknowledged without its place',
      '      end = to;\n      place = next;\n      return true;',
      '      end = to;\n      return true;',
    ],
  ),
  ...mutantsOf(
    'src/adapters/lmdb/local-journal.ts',
    [`${LMDB}/journal.test.ts`],
    [
      'a start continues the last pass',
      '  writer.apply([], { mark: journalPassMark(pass), reservedBytes });\n',
      '',
    ],
    ['an apply leaves the pass', 'this.#isBegun ? journalPassMark(this.#pass + 1) : null', 'null'],
    ['an apply overwrites no record', '    this.#file?.begin(this.#pass);\n', ''],
  ),
  ...mutantsOf(
    'src/adapters/lmdb/commit-pipeline.ts',
    [`${LMDB}/commit-pipeline.test.ts`],
    [
      'a set is durable before its entry is accepted',
      '    this.#isSubmitting = true;\n',
      '    this.#isSubmitting = true;\n    this.#unacknowledged.push(...sets);\n',
    ],
    ['an outcome that comes late is not processed', '    if (!this.#isSubmitting) this.#schedule();\n', ''],
    ['changes of another process are applied twice', '    this.#foreign = [];\n    for', '    for'],
    [
      'a node takes over before it has applied everything',
      '  applyForeign(): void {\n',
      '  applyForeign(): void {\n    if (this.#foreign.length < 2) return;\n',
    ],
    [
      'a client waits for the timer when the outcome comes late',
      'const isUrgent = first !== undefined && first.number <= this.#urgentUpTo;',
      'const isUrgent = first === undefined;',
    ],
    ['a set that only the tables make durable is acknowledged', '    else this.#isApplyForced = true;\n', ''],
    [
      'a removal overtakes the creation of its job',
      '    if (this.#applied === this.#submitted) run();\n    else this',
      '    if (this.#applied <= this.#submitted) run();\n    else this',
    ],
    [
      'a reader waits for entries without an outcome',
      '    const mustApply = isUrgent || this.#isReadRequested;\n',
      '    const mustApply = isUrgent || (this.#isReadRequested && this.#applied === this.#submitted);\n',
    ],
    ['the journal does not learn what was applied', '    this.#journal.applied(this.#position);\n', ''],
    [
      'the next piece overtakes the last one',
      '    if (this.#pieces.length === 1) setImmediate(this.#commitPiece);',
      '    setImmediate(this.#commitPiece);',
    ],
  ),
  ...mutantsOf(
    'src/adapters/lmdb/notice-ring.ts',
    [`${LMDB}/notice-ring.test.ts`],
    [
      'a full ring looks empty',
      'else if (at + needed >= read) return false;',
      'else if (at + needed > read) return false;',
    ],
    [
      'a notice has no room for the mark behind it',
      'if (at + needed + LENGTH_BYTES > RING_BYTES) {',
      'if (at + needed > RING_BYTES) {',
    ],
    ['unread notices are overwritten', '        if (needed >= read) return false;\n', ''],
    ['notices are taken twice', '    Atomics.store(this.#places, PLACES.read, at);\n', ''],
    [
      'characters are counted in place of bytes',
      'const length = Buffer.byteLength(text);',
      'const length = text.length;',
    ],
    ['a ring that has wrapped is never half full', '(waiting + RING_BYTES) % RING_BYTES', 'waiting'],
  ),
  ...mutantsOf(
    'src/adapters/lmdb/change-set-codec.ts',
    [`${LMDB}/change-set-codec.test.ts`],
    ['a long key is cut off', 'keyLength === 0 || keyLength > MAX_KEY_BYTES', 'keyLength === 0'],
    [
      'text with many bytes overflows',
      'growScratch(keyAt + key.length * UTF8_BYTES_MAX);',
      'growScratch(keyAt + key.length);',
    ],
    ['a larger buffer loses what was written', '  scratch.copy(larger);\n', ''],
    ['bytes behind the last change are ignored', 'if (at !== length) throw', 'if (at > length) throw'],
    ['a set that is cut off is read', '    if (end > length) throw truncated(i, count);\n', ''],
  ),
  ...mutantsOf(
    'src/adapters/lmdb/read-barrier.ts',
    [`${LMDB}/read-barrier.test.ts`],
    [
      'a read does not wait for durable changes',
      'if (Atomics.load(this.#watermarks, WATERMARKS.readable) >= transaction) return null;',
      'if (Atomics.load(this.#watermarks, WATERMARKS.readable) >= 0) return null;',
    ],
    [
      'a later reader waits permanently',
      '    if (this.#waiting.length > 0) this.#ask();\n    for',
      '    for',
    ],
    [
      'every answer resolves all readers',
      '({ transaction }) => transaction <= readable)',
      '({ transaction }) => transaction <= transaction)',
    ],
    ['every reader asks', 'if (this.#waiting.length === 1) this.#ask();', 'this.#ask();'],
  ),
  ...mutantsOf(
    'src/adapters/lmdb/latest-rows.ts',
    [`${LMDB}/latest-rows.test.ts`],
    [
      'keys with different bytes are one',
      "Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1');",
      "Buffer.from(key.buffer, key.byteOffset, key.length).toString('ascii');",
    ],
    [
      'sets are not in order',
      'const all = sets.flatMap(({ changes }) => changes);',
      'const all = sets.toReversed().flatMap(({ changes }) => changes);',
    ],
  ),
  ...mutantsOf(
    'src/adapters/lmdb/page-versions.ts',
    [`${LMDB}/page-versions.test.ts`],
    [
      'a change of all pages changes none',
      'Math.max(this.#at(place), this.#at(OF_ALL_PAGES))',
      'this.#at(place)',
    ],
    [
      'a version that is not readable yet is used',
      'version <= this.#transactions.lastReadable() ? version : null',
      'version',
    ],
    ['blocks have the number of their pages', 'Math.floor(number / PAGES_PER_BLOCK)', 'number'],
  ),
  ...mutantsOf(
    'src/adapters/lmdb/log-totals.ts',
    [`${LMDB}/log-store.test.ts`],
    ['a log that was cut continues', '      if (isCut) return null;\n', ''],
    [
      'the limit ends within a character',
      'while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end--;',
      '',
    ],
    ['totals are not saved', 'if (isChanged) totals.putSync(keyBytes(key), encodeRecord(total));', ''],
    [
      'one byte more than the limit',
      'maxBytes === 0 || bytes + size <= maxBytes',
      'maxBytes === 0 || bytes + size <= maxBytes + 1',
    ],
  ),
  ...mutantsOf(
    'src/adapters/lmdb/log-reader.ts',
    [`${LMDB}/log-store.test.ts`],
    [
      'gaps of other attempts are overlooked',
      "rows.every(({ value }) => isGapless(rangesOf(value))) ? 'whole' : 'gaps'",
      "rows.some(({ value }) => isGapless(rangesOf(value))) ? 'whole' : 'gaps'",
    ],
    ['a page exceeds its size', '        if (characters >= enough) break;\n', ''],
    [
      'a chunk that has not arrived is there',
      'row === undefined || !hasSequence(rangesOf(row), last.seqNum)',
      'row === undefined',
    ],
  ),
  ...mutantsOf(
    'src/adapters/memory/sorted-rows.ts',
    ['test/adapters/memory/sorted-rows.test.ts'],
    [
      'a scan repeats the row of its cursor',
      'Math.max(first, isThere ? bound + 1 : bound)',
      'Math.max(first, bound)',
    ],
    ['a scan returns one row too many', 'if (count++ >= limit ||', 'if (count++ > limit ||'],
    [
      'a removed prefix leaves its values',
      'for (const key of order.splice(from, endOf(prefix) - from)) values.delete(key);',
      'order.splice(from, endOf(prefix) - from);',
    ],
    [
      'a row that is written again is listed twice',
      'if (!values.has(key)) order.splice(placeOf(key), 0, key);',
      'order.splice(placeOf(key), 0, key);',
    ],
  ),
];
