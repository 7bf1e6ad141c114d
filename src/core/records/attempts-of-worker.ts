import type { AttemptAddress, WorkerId } from '../ids.ts';
import type { StoreReader } from '../ports/store.ts';
import { put, type Change } from './change-set.ts';
import { endOfEntryKey, keys } from './tables.ts';
import type { WorkerAttemptRecord } from './worker-attempt.ts';

/** One closed attempt of the index. */
export interface IndexedAttempt {
  readonly attempt: AttemptAddress;
  /** End of the first attempt of its entry, in milliseconds since the epoch. */
  readonly endedAt: number;
  /** Place of the attempt: `indexedAttempts` continues after it. */
  readonly place: string;
}

const ALONE: WorkerAttemptRecord = { version: 1 };
const PLACE = /^(.+)\+(\d+)$/;

/**
 * Returns the change that adds attempts of one job to the index. All were closed on the worker in one turn; `endedAt` is
 * the end of the first.
 */
export function indexAttempts(
  worker: WorkerId,
  endedAt: number,
  attempts: readonly AttemptAddress[],
): Change {
  const [first, ...others] = attempts;
  if (first === undefined) throw new RangeError('no attempts to index');
  const record: WorkerAttemptRecord =
    others.length === 0
      ? ALONE
      : {
          version: 1,
          more: others.map(({ stepOrder, index, attemptNumber }) => [stepOrder, index, attemptNumber]),
        };
  return put('workerAttempt', keys.workerAttempt(worker, endedAt, first), record);
}

/**
 * Iterates over the closed attempts of a worker, the latest end first.
 *
 * @param before - Place of the last attempt of the page before; null begins with the latest.
 */
export function* indexedAttempts(
  reader: StoreReader,
  worker: WorkerId,
  before: string | null,
): Generator<IndexedAttempt> {
  const prefix = keys.workerAttemptsOf(worker);
  const [, entry = '', passed = ''] = (before === null ? null : PLACE.exec(before)) ?? [];
  if (before !== null) {
    const row = reader.get('workerAttempt', prefix + entry);
    if (row !== undefined) yield* attemptsOfEntry(prefix, prefix + entry, row, Number(passed) + 1);
  }
  const after = before === null ? {} : { after: prefix + entry };
  for (const { key, value } of reader.scan('workerAttempt', { prefix, reverse: true, ...after }))
    yield* attemptsOfEntry(prefix, key, value, 0);
}

function* attemptsOfEntry(
  prefix: string,
  key: string,
  { more = [] }: WorkerAttemptRecord,
  from: number,
): Generator<IndexedAttempt> {
  const { endedAt, attempt: first } = endOfEntryKey(key);
  const entry = key.slice(prefix.length);
  for (let nth = from; nth <= more.length; nth++) {
    const [stepOrder, index, attemptNumber] = more[nth - 1] ?? [
      first.stepOrder,
      first.index,
      first.attemptNumber,
    ];
    const attempt = { jobId: first.jobId, stepOrder, index, attemptNumber };
    yield { attempt, endedAt, place: `${entry}+${nth}` };
  }
}
