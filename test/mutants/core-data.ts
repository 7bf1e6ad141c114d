import { mutantsOf, type Mutant } from './mutant.ts';

/** Mutants of wire formats, limits, lists, records and diagnostics. */
export const CORE_DATA_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(
    'src/core/wire/sequence-ranges.ts',
    ['test/core/wire/sequence-ranges.test.ts'],
    ['a number is added twice', 'if (at >= 0 && sequence <= before) return ranges;', ''],
    ['adjacent numbers are not joined', 'before === sequence - 1', 'before === sequence'],
    [
      'ranges around a closed gap are not joined',
      'ranges[next] === sequence + 1',
      'ranges[next] === sequence + 2',
    ],
    [
      'the ranges are not limited',
      'if (ranges.length <= 2 * MAX_SEQUENCE_RANGES) return ranges;',
      'if (ranges.length > 0) return ranges;',
    ],
    [
      'a set that does not begin with 1 has no gap',
      'ranges.length === 2 && ranges[0] === 1',
      'ranges.length === 2',
    ],
  ),
  ...mutantsOf(
    'src/core/wire/bus-sequence.ts',
    ['test/core/wire/bus-sequence.test.ts'],
    [
      'a stream that was reset keeps its base',
      'if (isSame && stream.lastSequence >= state.lastStreamSequence) return state;',
      'if (isSame) return state;',
    ],
    [
      'another stream keeps the base',
      'const isSame = state.streamCreatedAt === stream.createdAt;',
      'const isSame = true;',
    ],
    ['the base is too low', '  base: state.lastBusSequence,\n', '  base: state.base,\n'],
    [
      'an earlier message lowers the last number',
      'Math.max(state.lastStreamSequence, streamSequence)',
      'streamSequence',
    ],
    [
      'numbers after a restore repeat',
      'Math.max(state?.lastBusSequence ?? 0, now * NUMBERS_PER_MS)',
      'state?.lastBusSequence ?? 0',
    ],
    [
      'the stream before the backup is taken for the same one',
      "  streamCreatedAt: '',\n",
      "  streamCreatedAt: state?.streamCreatedAt ?? '',\n",
    ],
  ),
  ...mutantsOf(
    'src/core/wire/json-text.ts',
    ['test/core/wire/messages.test.ts', 'test/core/wire/socket-messages.test.ts'],
    ['one level more than allowed', 'if (depth > limit) return true;', 'if (depth > limit + 1) return true;'],
    ['closed brackets count', '      depth -= 1;\n', ''],
    [
      'brackets in strings count',
      '    if (code === QUOTE) {\n      at = endOfString(text, at);\n    } else if (code === 0x5b',
      '    if (code === 0x5b',
    ],
    ['an escaped quote ends a string', 'if (backslashes % 2 === 0) return end;', 'return end;'],
    [
      'a long message is parsed',
      'if (text.length > limits.length) {',
      'if (text.length > 2 * limits.length) {',
    ],
  ),
  ...mutantsOf(
    'src/core/wire/incarnation.ts',
    ['test/actors/service/worker/presence.test.ts'],
    [
      'an incarnation of next week is accepted',
      'time > now + REFUSED_AHEAD_MS',
      'time > now + 30 * REFUSED_AHEAD_MS',
    ],
    ['an incarnation of any time ahead is refused', 'time > now + REFUSED_AHEAD_MS', 'time > now'],
    [
      'an earlier start replaces a later one',
      'isIncarnation(registered) && other < registered',
      'isIncarnation(registered) && other === registered',
    ],
  ),
  ...mutantsOf(
    'src/core/rate-limit/rate-limiter.ts',
    ['test/core/rate-limit/rate-limiter.test.ts'],
    [
      'one request more than the burst',
      'const excess = fullAt - present - burst * TOKEN_UNITS;',
      'const excess = fullAt - present - (burst + 1) * TOKEN_UNITS;',
    ],
    [
      'a refused request takes a token',
      'if (excess > 0) return Math.ceil(excess / rps);\n    this.#fullAt[place] = fullAt;',
      'this.#fullAt[place] = fullAt;\n    if (excess > 0) return Math.ceil(excess / rps);',
    ],
    ['the wait is in seconds', 'Math.ceil(excess / rps)', 'Math.ceil(excess / rps / 1000)'],
    [
      'tokens of an idle client add up',
      'Math.max(this.#fullAt[place] ?? 0, present) + TOKEN_UNITS',
      '(this.#fullAt[place] ?? 0) + TOKEN_UNITS',
    ],
    ['a new client inherits a debt', '    this.#fullAt[fullest] = 0;\n', ''],
    [
      'the emptiest bucket is replaced',
      '(this.#fullAt[place] ?? 0) < (this.#fullAt[fullest] ?? 0)',
      '(this.#fullAt[place] ?? 0) > (this.#fullAt[fullest] ?? 0)',
    ],
  ),
  ...mutantsOf(
    'src/core/rate-limit/token-bucket.ts',
    ['test/core/rate-limit/token-bucket.test.ts'],
    [
      'a bucket overflows',
      'Math.min(this.#burst, this.#tokens + seconds * this.#perSecond)',
      'this.#tokens + seconds * this.#perSecond',
    ],
    [
      'a bucket fills in milliseconds',
      'Math.max(0, now - this.#filledAt) / 1000',
      'Math.max(0, now - this.#filledAt)',
    ],
    [
      'a clock that goes back empties a bucket',
      'Math.max(0, now - this.#filledAt) / 1000',
      '(now - this.#filledAt) / 1000',
    ],
  ),
  ...mutantsOf(
    'src/core/diagnostics/warning-limiter.ts',
    ['test/core/diagnostics/warning-limiter.test.ts'],
    [
      'dropped warnings are lost with their window',
      'if (dropped > 0) taken.push({ text, dropped, windowMs: now - openedAt });',
      '',
    ],
    [
      'every window has one warning more',
      'kind.seen <= WARNINGS_PER_WINDOW',
      'kind.seen <= WARNINGS_PER_WINDOW + 1',
    ],
    [
      'any number of kinds is known',
      'known !== undefined || this.#kinds.size < KINDS_MAX ? kindOf(text) : OTHERS',
      'kindOf(text)',
    ],
    ['numbers make kinds', "    .replaceAll(/[0-9a-f]*[0-9][0-9a-f-]*/gi, '0')\n", ''],
    ['a window never ends', 'now - openedAt < WINDOW_MS', 'now - openedAt < 10 * WINDOW_MS'],
  ),
  ...mutantsOf(
    'src/core/diagnostics/ring.ts',
    ['test/core/diagnostics/diagnostic-log.test.ts'],
    [
      'a ring has one record too many',
      'this.kept.length - this.oldest > this.size',
      'this.kept.length - this.oldest > this.size + 1',
    ],
    ['dropped text stays counted', '    this.textLength -= length;\n', ''],
    [
      'compaction drops a record',
      '      this.kept.splice(0, this.oldest);\n',
      '      this.kept.splice(0, this.oldest + 1);\n',
    ],
  ),
  ...mutantsOf(
    'src/core/diagnostics/diagnostic-log.ts',
    ['test/core/diagnostics/diagnostic-log.test.ts'],
    [
      'two records have one time',
      'last !== null && at <= last ? last + 1n : at',
      'last !== null && at < last ? last + 1n : at',
    ],
    [
      'the oldest records are returned',
      'newest.slice(Math.max(0, newest.length - query.limit))',
      'newest.slice(0, query.limit)',
    ],
    ['the text of all components is not limited', '    this.shorten();\n', ''],
    ['the ring of the server is dropped', 'each !== SERVER_COMPONENT && each !== active', 'each !== active'],
    [
      'the record at the cursor is returned again',
      'record.at <= since)) break;',
      'record.at < since)) break;',
    ],
    ['records of lower levels match', 'if (rankOf(record.level) < least) continue;', ''],
  ),
  ...mutantsOf(
    'src/core/lists/ranks.ts',
    ['test/core/lists/ranks.test.ts'],
    ['equal values are in descending order of position', '|| left - right);', '|| right - left);'],
    [
      'the window is one too long',
      'const end = Math.min(offset + window.limit, total);',
      'const end = Math.min(offset + window.limit + 1, total);',
    ],
    [
      'a descending order is ascending within a bucket',
      'const sign = descending ? -1 : 1;',
      'const sign = 1;',
    ],
    [
      'values between the first and the last bucket are left out',
      'if (between > 0) parts.push',
      'if (between < 0) parts.push',
    ],
    [
      'blocks that touch the range at its end are left out',
      'Math.min(...ends) > part.to) continue;',
      'Math.min(...ends) >= part.to) continue;',
    ],
  ),
  ...mutantsOf(
    'src/core/lists/sorted-slots.ts',
    ['test/core/lists/sorted-slots.test.ts', 'test/core/lists/job-directory.test.ts'],
    ['removed slots stay', '.filter((slot) => this.#isHeld(slot))', ''],
    ['a changed slot is there twice', '    this.#dropNoted();\n', ''],
    ['a slot is noted once only', '    for (const slot of this.#noted) this.#isNoted[slot] = 0;\n', ''],
    [
      'slots that follow an inserted one are overwritten',
      'this.#slots.copyWithin(at + nth + 1, at, end);',
      'this.#slots.copyWithin(at + nth, at, end);',
    ],
  ),
  ...mutantsOf(
    'src/core/metrics/buckets.ts',
    ['test/core/metrics/buckets.test.ts'],
    ['a value at a bound is above it', 'value <= bound', 'value < bound'],
    ['values above all bounds are lost', 'found < 0 ? this.bounds.length : found', 'Math.max(0, found)'],
    [
      'taken counts are taken again',
      '    this.counts = emptyCounts(this.bounds);\n    this.sum = 0;\n    return taken;',
      '    this.sum = 0;\n    return taken;',
    ],
  ),
  ...mutantsOf(
    'src/core/metrics/lease-waits.ts',
    ['test/core/metrics/lease-waits.test.ts'],
    ['the wait of a parked request counts as latency', 'isParked ? windowStartedAt : askedAt', 'askedAt'],
    ['a repeated request counts twice', 'if (before !== undefined) this.forget(inbox, before);', ''],
    ['empty replies have a latency', "    if (answer !== 'leased') return;\n", ''],
    [
      'lost requests stay',
      '      this.forget(inbox, wait);\n    }\n    const { answered',
      '    }\n    const { answered',
    ],
  ),
  ...mutantsOf(
    'src/core/history/job-activity.ts',
    ['test/core/history/job-activity.test.ts'],
    [
      'tasks of an earlier run are counted as ended now',
      'const isNew = !wasListed && job.createdAt >= this.#since;',
      'const isNew = !wasListed;',
    ],
    ['an updated job counts twice', '    if (known !== undefined) this.#add(known, -1);\n', ''],
    ['an ended job stays', '      this.#shares.delete(job.id);\n      return;', '      return;'],
    ['ended tasks of queues are counted again', '    farm.queues.clear();\n', ''],
  ),
  ...mutantsOf(
    'src/core/history/load-samples.ts',
    ['test/core/history/samples.test.ts'],
    ['an offline worker keeps its cores of three hours ago', '      kept[slot] = 0;\n', ''],
    [
      'a worker with no booked core counts as offline',
      '1 + Math.min(load, LOAD_MAX)',
      'Math.min(load, LOAD_MAX)',
    ],
    ['the minute at the cursor is returned again', 'if (at <= from) continue;', 'if (at < from) continue;'],
  ),
  ...mutantsOf(
    'src/core/records/open-attempt.ts',
    ['test/core/records/open-attempt.test.ts'],
    ['a task that has ended has an open attempt', '!isLiveTask(task.status) || ', ''],
    ['an attempt with a row is listed twice', '>= of.task.attemptNumber)', '> of.task.attemptNumber)'],
    [
      'an earlier attempt without a row is the open one',
      'row !== undefined || attemptNumber !== of.task.attemptNumber',
      'row !== undefined',
    ],
  ),
  ...mutantsOf(
    'src/core/records/page-arena.ts',
    ['test/core/records/page-arena.test.ts'],
    [
      'two pages share memory',
      'return pageAt(this.slab, this.used++);',
      'return pageAt(this.slab, this.used);',
    ],
    ['the last pages are not gathered', '  if (batch.length > 0) settle();\n', ''],
  ),
  ...mutantsOf(
    'src/core/wire/event-batch.ts',
    ['test/core/wire/event-batch.test.ts'],
    ['events of different jobs are mixed', 'const key = jobId ?? subject;', 'const key = subject;'],
    ['only the first event is counted', '      gathered.count += 1;\n', ''],
    ['progress 0 is left out', "(progress === undefined ? '' :", "(!progress ? '' :"],
  ),
];
