import { isLiveTask } from '../../core/lifecycle/task-transitions.ts';
import { parseAttemptId, taskIdOf, type AttemptAddress, type JobId } from '../../core/ids.ts';
import { attemptFloorAfterRestore } from '../../core/records/attempt-floor.ts';
import { keys, lastNumberOfKey } from '../../core/records/tables.ts';
import { highestAttemptOn, readTask } from '../../core/records/task-page.ts';
import { logKeys, type LogChunkRecord, type LogTotalRecord } from '../../core/records/log-chunk.ts';
import { afterRestore } from '../../core/wire/bus-sequence.ts';
import { openExistingStore } from './existing-store.ts';
import { openDatabase, openExistingDatabase, type ByteDatabase, type Environment } from './environment.ts';
import { keyBytes } from './key-bytes.ts';
import { LOG_DATABASES } from './log-chunk.ts';
import { previewKeys } from '../../core/previews/preview-record.ts';
import { PREVIEW_DATABASES, taskPreviews } from './preview-rows.ts';
import { BUS_SEQUENCE_KEY, readBusSequence } from './log-writer.ts';
import {
  FORMAT_VERSIONS,
  isKnownFormat,
  META_DATABASE,
  putAttemptFloor,
  readAttemptFloor,
  removeClusterMark,
  type StoreFormat,
} from './store-format.ts';
import { scanRows } from './table-scan.ts';
import { decodeRecord, decodeValue, encodeRecord } from './value-codec.ts';
import { encodeValue } from './value-encoder.ts';

/** Result of reconciling a restored store. */
export interface Reconciled {
  readonly workers: number;
  /** Number of attempts whose logs were removed, because the state does not contain them. */
  readonly logsRemoved: number;
}

/** Returns why this program cannot read the part of a backup; null when it can. */
export const formatFault = (part: Pick<StoreFormat, 'kind' | 'format'>): string | null =>
  isKnownFormat(part)
    ? null
    : `its ${part.kind} have format ${part.format} and this program knows format ${FORMAT_VERSIONS[part.kind]}`;

/** Number of tasks whose logs are removed in one transaction. */
const TASKS_AT_ONCE = 500;

/**
 * Reconciles restored stores with a farm that has continued after the backup (docs/decisions/backup.md). `now` is the
 * time of the restore.
 * - Every worker has to register again, so that its attempts that the state does not contain are stopped before it gets
 *   others.
 * - No attempt id is used twice.
 * - Logs of attempts that the state does not contain are removed and no longer counted.
 * - `bus_seq` continues above every assigned number.
 * - A store of a cluster no longer belongs to its log, which continues without these changes.
 */
export async function reconcileRestored(
  stateDirectory: string,
  logDirectory: string,
  now: number,
): Promise<Reconciled> {
  const { environment: state } = await openExistingStore(stateDirectory, 'state');
  try {
    const { environment: logs } = await openExistingStore(logDirectory, 'logs');
    try {
      const workers = forgetIncarnations(state);
      const floor = attemptFloorAfterRestore(Math.max(readAttemptFloor(state), highestAttempt(state)), now);
      state.transactionSync(() => {
        putAttemptFloor(state, floor);
        removeClusterMark(state);
      });
      const logsRemoved = removeUnknownLogs(state, logs);
      const meta = openDatabase(logs, META_DATABASE);
      logs.transactionSync(() => {
        meta.putSync(BUS_SEQUENCE_KEY, encodeRecord(afterRestore(readBusSequence(meta), now)));
      });
      return { workers, logsRemoved };
    } finally {
      await logs.close();
    }
  } finally {
    await state.close();
  }
}

/**
 * Returns the highest number of any attempt. An open one may be only on the page of its task
 * (docs/decisions/open-attempts.md).
 */
function highestAttempt(state: Environment): number {
  let highest = 0;
  for (const key of openExistingDatabase(state, 'attempt')?.getKeys() ?? [])
    highest = Math.max(highest, lastNumberOfKey(Buffer.from(key).toString('utf8')));
  const pages = openExistingDatabase(state, 'taskPage');
  if (pages === undefined) return highest;
  for (const { value } of scanRows(pages))
    highest = Math.max(highest, highestAttemptOn(decodeValue('taskPage', value)));
  return highest;
}

function forgetIncarnations(state: Environment): number {
  const workers = openDatabase(state, 'worker');
  const rows = [...scanRows(workers)];
  state.transactionSync(() => {
    for (const { key, value } of rows) {
      const record = { ...decodeValue('worker', value), incarnation: '' };
      workers.putSync(keyBytes(key), encodeValue('worker', record));
    }
  });
  return rows.length;
}

/**
 * Both tables have the same keys in the same order, so that one pass over both finds the rows that exist only in the
 * logs. Open attempts among these are kept.
 */
function removeUnknownLogs(state: Environment, logs: Environment): number {
  const known = openExistingDatabase(state, 'attempt');
  const attempts = openExistingDatabase(logs, LOG_DATABASES.attempts);
  const chunks = openExistingDatabase(logs, LOG_DATABASES.chunks);
  if (attempts === undefined || chunks === undefined) return 0;
  const totals = openDatabase(logs, LOG_DATABASES.totals);
  const lines = openDatabase(logs, LOG_DATABASES.lines);
  const previews = openDatabase(logs, PREVIEW_DATABASES.previews);
  const pages = openExistingDatabase(state, 'taskPage');
  const unknown = [...onlyInFirst(attempts, known)]
    .map((key) => attemptOfKey(key.toString('utf8')))
    .filter((attempt) => !isOpen(pages, attempt));
  const tasks = [...byTask(unknown).values()];
  for (let at = 0; at < tasks.length; at += TASKS_AT_ONCE) {
    logs.transactionSync(() => {
      for (const ofTask of tasks.slice(at, at + TASKS_AT_ONCE))
        removeLogsOf(ofTask, { attempts, chunks, totals, lines, previews });
    });
  }
  return unknown.length;
}

/** Reports whether the page of the attempt's task has it as open. */
function isOpen(pages: ByteDatabase | undefined, attempt: AttemptAddress): boolean {
  const bytes = pages?.get(keyBytes(keys.taskPageOf(attempt)));
  const task = bytes === undefined ? null : readTask(decodeValue('taskPage', bytes), attempt.index);
  return task?.attemptNumber === attempt.attemptNumber && isLiveTask(task.status);
}

function byTask(attempts: readonly AttemptAddress[]): ReadonlyMap<string, readonly AttemptAddress[]> {
  const tasks = new Map<string, AttemptAddress[]>();
  for (const attempt of attempts) {
    const key = logKeys.task(attempt);
    const ofTask = tasks.get(key);
    if (ofTask === undefined) tasks.set(key, [attempt]);
    else ofTask.push(attempt);
  }
  return tasks;
}

function* onlyInFirst(first: ByteDatabase, second: ByteDatabase | undefined): Generator<Buffer> {
  const others = second?.getKeys()[Symbol.iterator]();
  let other = others?.next();
  for (const key of first.getKeys()) {
    const bytes = Buffer.from(key);
    while (
      others !== undefined &&
      other !== undefined &&
      other.done !== true &&
      bytes.compare(other.value) > 0
    )
      other = others.next();
    if (other === undefined || other.done === true || bytes.compare(other.value) !== 0) yield bytes;
  }
}

/**
 * Removes the logs and previews of attempts of one task and counts the rest. The limit of the task may be reached again; then the
 * next chunk is cut as usual.
 */
function removeLogsOf(
  unknown: readonly AttemptAddress[],
  {
    attempts,
    chunks,
    totals,
    lines,
    previews,
  }: Readonly<Record<keyof typeof LOG_DATABASES | 'previews', ByteDatabase>>,
): void {
  const [task] = unknown;
  if (task === undefined) return;
  const numbers = new Set(unknown.map(({ attemptNumber }) => attemptNumber));
  const removed: string[] = [];
  let bytes = 0;
  for (const { key, value } of scanRows(chunks, { prefix: logKeys.task(task) })) {
    // Only the log writer writes these rows.
    const { attemptNumber, data } = decodeRecord(value) as LogChunkRecord;
    if (numbers.has(attemptNumber)) removed.push(key);
    else bytes += Buffer.byteLength(data);
  }
  for (const key of removed) chunks.removeSync(keyBytes(key));
  for (const { number, record } of taskPreviews(previews, task))
    if (numbers.has(record.attemptNumber)) previews.removeSync(keyBytes(previewKeys.preview(task, number)));
  for (const attempt of unknown) {
    const marks = [...scanRows(lines, { prefix: logKeys.attempt(attempt) })];
    for (const { key } of marks) lines.removeSync(keyBytes(key));
    attempts.removeSync(keyBytes(logKeys.attempt(attempt)));
  }
  const total: LogTotalRecord = { version: 1, bytes, isCut: false };
  if (bytes === 0) totals.removeSync(keyBytes(logKeys.total(task)));
  else totals.putSync(keyBytes(logKeys.total(task)), encodeRecord(total));
}

/** Returns the attempt in a key made by `logKeys.attempt`. */
function attemptOfKey(key: string): AttemptAddress {
  const [job = '', ...numbers] = key.split('/');
  const [stepOrder = NaN, index = NaN, attemptNumber = NaN] = numbers.map(Number);
  const address = { jobId: job as JobId, stepOrder, index, attemptNumber };
  if (parseAttemptId(`${taskIdOf(address)}-${attemptNumber}`) === null)
    throw new Error(`no attempt has the key ${key}`);
  return address;
}
