import { mutantsOf, type Mutant } from './mutant.ts';

/** Mutants of the adapters of host, processes and staging. */
export const HOST_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(
    'src/adapters/host/file-journal.ts',
    ['test/adapters/host/file-journal.test.ts'],
    ['a report is not flushed', '      if (isToLast) await this.handle.datasync();\n', ''],
    ['a confirmed report is there after a restart', '    else kept.delete(line.attempt_id);\n', ''],
    ['a torn line is read', ".split('\\n').slice(0, -1)", ".split('\\n')"],
    ['the journal grows permanently', '    if (this.lines > this.compactAt) await this.compact();\n', ''],
    [
      'changes are reported before they are written',
      '        await this.write(batch.flatMap(({ changes }) => changes));\n        for (const { onDurable } of batch) onDurable();',
      '        for (const { onDurable } of batch) onDurable();\n        await this.write(batch.flatMap(({ changes }) => changes));',
    ],
    [
      'a compacted journal is written to the old file',
      "    await this.handle.close();\n    this.handle = await open(this.journalPath, 'a');\n    this.lines",
      '    this.lines',
    ],
    ['writes end after the first batch', '      this.writing = null;\n', ''],
  ),
  ...mutantsOf(
    'src/adapters/host/log-spool.ts',
    ['test/adapters/host/log-spool.test.ts'],
    [
      'the limit applies to each attempt',
      'if (this.bytes + size + line.length > bound) break;',
      'if (file.size + size + line.length > bound) break;',
    ],
    ['no room is left for the end of an attempt', '(isLast ? 1 : 1 - SPOOL_LIMITS.endShare)', '1'],
    [
      'the bytes of a removed file stay counted',
      '    this.bytes -= file.size;\n    file.size = 0;',
      '    file.size = 0;',
    ],
    ['removed chunks are read again', 'if (end !== undefined) file.start = end;', ''],
    ['a failed write counts', '        this.bytes -= size;\n', ''],
    [
      'files of an earlier agent do not count',
      '[...files.values()].reduce((sum, { size }) => sum + size, 0)',
      '0',
    ],
    [
      'damaged files are kept permanently',
      'names.slice(0, Math.max(0, names.length + 1 - SPOOL_LIMITS.damagedFiles))',
      'names.slice(0, 0)',
    ],
    [
      'chunks of another attempt are shipped',
      'parsed.value.attempt_id === attemptId',
      'parsed.value.attempt_id !== null',
    ],
  ),
  ...mutantsOf(
    'src/adapters/system/disk-watermark.ts',
    ['test/adapters/system/disk-watermark.test.ts'],
    ['the state flaps between the marks', "return free >= marks.okBytes ? 'ok' : state;", "return 'ok';"],
    ['a disk at its low mark is low', 'free < marks.lowBytes', 'free <= marks.lowBytes'],
  ),
  ...mutantsOf(
    'src/adapters/system/disk-reserve.ts',
    ['test/adapters/system/disk-reserve.test.ts'],
    [
      'blocks of an earlier process do not count',
      'const allocated = Math.max(reservedEnd, allocatedBytes(file));',
      'const allocated = reservedEnd;',
    ],
    [
      'the margin without a reserve is missing',
      'freeBytes(directory) >= bytes + UNRESERVED_MARGIN_BYTES',
      'freeBytes(directory) >= bytes',
    ],
    [
      'a missing command counts as a full disk',
      "if (run.error) return { kind: 'unavailable', reason: `${command} cannot be run: ${run.error.message}` };",
      "if (run.error) return { kind: 'full' };",
    ],
    [
      'the reserve is never extended',
      'if (extendTo(needed + reserveBytes) || reservedEnd >= needed || extendTo(needed)) return true;',
      'if (reservedEnd >= needed) return true;',
    ],
  ),
  ...mutantsOf(
    'src/adapters/system/followed-jobs.ts',
    ['test/adapters/system/followed-jobs.test.ts'],
    ['the end of a follower counts twice', '      if (isOver) return;\n', ''],
    [
      'another job is answered from the last one',
      'if (job !== this.#lastJob) {',
      'if (this.#lastJob === null) {',
    ],
    [
      'one follower is none',
      'Atomics.load(this.#memory, this.#lastCounter) > 0',
      'Atomics.load(this.#memory, this.#lastCounter) > 1',
    ],
  ),
  ...mutantsOf(
    'src/adapters/system/shared-tallies.ts',
    ['test/adapters/system/shared-tallies.test.ts'],
    [
      'two shards claim the same slot',
      'if (Atomics.compareExchange(this.memory.totals, slot, total, total + granted) !== total) continue;',
      'Atomics.store(this.memory.totals, slot, total + granted);',
    ],
    ['a claim exceeds the maximum', 'Math.min(count, max - total)', 'count'],
    ['a larger share wakes the others', '    if (after > before) return;\n', ''],
    [
      'waiting shards are notified without end',
      'Atomics.exchange(this.memory.waiting, slot, 0n)',
      'Atomics.load(this.memory.waiting, slot)',
    ],
    [
      'a claim is not in the share of its farm',
      '      this.setOwn(farm, slot, this.own(farm, slot) + granted);\n',
      '',
    ],
    ['woken farms stay in the list', '    this.waitingFarms.delete(slot);\n', ''],
  ),
  ...mutantsOf(
    'src/adapters/process/line-assembler.ts',
    ['test/adapters/process/line-assembler.test.ts'],
    [
      'a line is a byte too long',
      'const room = this.limit - this.length;',
      'const room = this.limit - this.length + 1;',
    ],
    [
      'a cut line ends within a character',
      'const end = lastCharacterEnd(whole) || whole.length;',
      'const end = whole.length;',
    ],
    ['a cut line is not reported', '      this.cutLines.push(lines.length);\n', ''],
    [
      'a piece of a line is repeated in the next one',
      '      this.parts = [];\n      this.length = 0;\n      this.cutLines',
      '      this.length = 0;\n      this.cutLines',
    ],
    [
      'bytes of the caller are kept without a copy',
      'this.parts.push(bytes.slice());',
      'this.parts.push(bytes);',
    ],
    ['overlong characters are valid', 'lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80', '0x80'],
    ['a last line without its end is lost', 'return this.length === 0 ? null : this.take();', 'return null;'],
  ),
  ...mutantsOf(
    'src/adapters/staging/semaphore.ts',
    ['test/adapters/staging/slots.test.ts'],
    [
      'a place is lost with a failure',
      '    try {\n      return await work();\n    } finally {\n      const [next] = this.waiting;\n      if (next === undefined) this.free++;\n      else next();\n    }',
      '    const result = await work();\n    const [next] = this.waiting;\n    if (next === undefined) this.free++;\n    else next();\n    return result;',
    ],
    ['the work starts before its turn', 'else await this.turn(signal);', 'else void this.turn(signal);'],
    ['a caller that gave up takes its turn', '        this.waiting.delete(enter);\n', ''],
  ),
  ...mutantsOf(
    'src/adapters/staging/confined-root.ts',
    ['test/adapters/staging/filesystem.test.ts', 'test/adapters/staging/staging-locations.test.ts'],
    [
      'a link leads out of the root',
      "throw stagingError(this.textOf(below), 'leads out of its storage location');\n          await left.close();",
      'continue;\n          await left.close();',
    ],
    [
      'a directory whose name begins like the root is inside',
      'target.startsWith(`${base}/`)',
      'target.startsWith(base)',
    ],
    [
      'links are followed where they are refused',
      "if (links === 'refuse') throw stagingError(this.textOf(below), 'is a symbolic link, or is below one');",
      '',
    ],
    [
      'links are followed permanently',
      'if (++hops > STAGING_LIMITS.linkHops)',
      'if (hops > STAGING_LIMITS.linkHops)',
    ],
  ),
  ...mutantsOf(
    'src/adapters/yaml/plain-scalar.ts',
    ['test/adapters/yaml/read-document.test.ts'],
    ['an octal number is decimal', 'const OCTAL = /^0o[0-7]+$/;', 'const OCTAL = /^0o[0-9]+x$/;'],
    ['an upper case TRUE is false', "source.toLowerCase() === 'true'", "source === 'true'"],
    ['an empty value is text', '/^(?:~|null|Null|NULL)?$/', '/^(?:~|null|Null|NULL)$/'],
    ['a number with an exponent is text', '(?:[eE][-+]?[0-9]+)?$/;', '$/;'],
  ),
];
