import fc from 'fast-check';
import { attemptIdOf, jobId, workerId, type FarmId, type WorkerId } from '../../../src/core/ids.ts';
import type { AttemptRecord } from '../../../src/core/records/attempt.ts';
import {
  put,
  remove,
  removePrefix,
  type Change,
  type ChangeSet,
} from '../../../src/core/records/change-set.ts';
import type { FarmRecord } from '../../../src/core/records/farm.ts';
import { TABLE_NAMES } from '../../../src/core/records/tables.ts';
import type { BookingRecord, WorkerRecord } from '../../../src/core/records/worker.ts';

/** Generators of rows and change sets with all shapes that the encoding supports. Texts are well-formed. */
const text = fc.string({ unit: 'binary', maxLength: 20, size: 'max' });
const time = fc.integer({ min: 0, max: 4_000_000_000_000 });

/** Keys of few characters of every UTF-8 width, so that some are prefixes of others. */
export const keyText = fc.string({
  unit: fc.constantFrom('a', 'b', '/', '0', '\u00e9', '\ufffd', '\u{1f600}'),
  maxLength: 5,
});
const key = keyText.filter((value) => value.length > 0);

const farm: fc.Arbitrary<FarmRecord> = fc.record(
  {
    version: fc.constant(1 as const),
    id: text.map((value) => value as FarmId),
    name: text,
    description: text,
    maxConcurrentTasks: fc.integer(),
    retry: fc.record(
      { maxAttempts: fc.nat(), retryDelaySeconds: fc.nat(), failureLimit: fc.nat() },
      { requiredKeys: [], noNullPrototype: true },
    ),
    createdAt: time,
    updatedAt: time,
  },
  { noNullPrototype: true },
);

const worker: fc.Arbitrary<WorkerRecord> = fc.record(
  {
    version: fc.constant(1 as const),
    id: text.map((value) => value as WorkerId),
    ordinal: fc.nat(),
    farmId: text.map((value) => value as FarmId),
    name: text,
    hostname: text,
    status: fc.constantFrom('online', 'offline', 'disabled'),
    incarnation: text,
    computeLocation: text,
    cpuCount: fc.nat(),
    memoryMib: fc.maxSafeNat(),
    os: text,
    arch: text,
    softwareVersion: text,
    queueIds: fc.constant([]),
    tags: fc.dictionary(
      text.filter((name) => name !== '__proto__'),
      text,
      { noNullPrototype: true },
    ),
    lastHeartbeatAt: time,
    registeredAt: time,
  },
  { noNullPrototype: true },
);

const uuid = fc.uuid();
const attemptAddress = fc.record({
  jobId: uuid.map(jobId),
  stepOrder: fc.nat(500),
  index: fc.nat(1_000_000),
  attemptNumber: fc.integer({ min: 1, max: 100_000 }),
});
/** MessagePack encodes no negative zero as an integer. */
const number = fc.oneof(
  fc.nat(70_000),
  fc.integer(),
  fc.double({ noNaN: true }).map((value) => value + 0),
);
const plainOr = fc.oneof(fc.uuid(), fc.constant(''), text);

const attempt: fc.Arbitrary<AttemptRecord> = fc.record(
  {
    version: fc.constant(1 as const),
    id: attemptAddress.map(attemptIdOf),
    attemptNumber: fc.integer({ min: 1, max: 100_000 }),
    status: fc.constantFrom('running' as const, 'succeeded' as const, 'failed' as const, 'canceled' as const),
    workerId: uuid.map(workerId),
    startedAt: time,
    endedAt: time,
    exitCode: fc.oneof(fc.constant(0), number),
    message: fc.oneof(fc.constant(''), text),
    failureExcerpt: text,
    reclaimed: fc.constant(true as const),
    sessionId: plainOr,
    progress: number,
    statusMessage: text,
  },
  {
    requiredKeys: [
      'version',
      'id',
      'attemptNumber',
      'status',
      'workerId',
      'startedAt',
      'message',
      'sessionId',
    ],
    noNullPrototype: true,
  },
);
/** Most tasks are like this. */
const usualAttempt: fc.Arbitrary<AttemptRecord> = attempt.map(
  ({
    progress: _progress,
    statusMessage: _message,
    reclaimed: _reclaimed,
    failureExcerpt: _excerpt,
    ...record
  }) => ({
    ...record,
    message: '',
  }),
);

/** No amount has the name of a part of JavaScript objects, which decoders leave out. */
const otherName = fc.string().filter((name) => name !== '__proto__');

const amountsHeld = fc.dictionary(
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom('amount.worker.memory', 'amount.a') }, otherName),
  number,
  { noNullPrototype: true, maxKeys: 20, size: 'max' },
);

const sharesOfFarm = fc.record(
  {
    version: fc.nat(),
    kind: fc.constantFrom('balanced' as const, 'weighted' as const),
    sharedBy: fc.constantFrom('owner' as const, 'project' as const, 'queue' as const),
    sharer: fc.oneof(
      fc.constantFrom('ana', ''),
      fc.string({ unit: 'grapheme', maxLength: 300, size: 'max' }),
    ),
    cores: fc.nat(),
    usage: number,
  },
  { noNullPrototype: true, requiredKeys: ['version', 'kind', 'sharedBy', 'sharer', 'cores'] },
);

const booking: fc.Arbitrary<BookingRecord> = fc.record(
  {
    version: fc.constant(1 as const),
    bookings: fc.array(
      fc.record(
        {
          attemptId: attemptAddress.map(attemptIdOf),
          cores: number,
          amounts: amountsHeld,
          gpus: fc.array(fc.nat({ max: 70_000 }), { maxLength: 20, size: 'max' }),
          policyVersion: fc.nat(),
          reason: sharesOfFarm,
        },
        { noNullPrototype: true, requiredKeys: ['attemptId', 'cores'] },
      ),
      { maxLength: 40, size: 'max' },
    ),
  },
  { noNullPrototype: true },
);

const bytes = fc.uint8Array({ maxLength: 64, size: 'max' });

export const arbitraryChange: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(key, farm).map(([at, value]) => put('farm', at, value)),
  fc.tuple(key, worker).map(([at, value]) => put('worker', at, value)),
  fc.tuple(key, attempt).map(([at, value]) => put('attempt', at, value)),
  fc.tuple(key, usualAttempt).map(([at, value]) => put('attempt', at, value)),
  fc.tuple(key, booking).map(([at, value]) => put('booking', at, value)),
  fc.tuple(key, bytes).map(([at, value]) => put('taskPage', at, value)),
  fc.tuple(fc.constantFrom(...TABLE_NAMES), key).map(([table, at]) => remove(table, at)),
  fc.tuple(fc.constantFrom(...TABLE_NAMES), key).map(([table, at]) => removePrefix(table, at)),
);

export const arbitraryChangeSet: fc.Arbitrary<ChangeSet> = fc.record(
  {
    version: fc.constant(1 as const),
    shard: fc.integer({ min: 0, max: 0xffff }),
    sequence: fc.maxSafeNat(),
    changes: fc.array(arbitraryChange, { maxLength: 30, size: 'max' }),
  },
  { noNullPrototype: true },
);
