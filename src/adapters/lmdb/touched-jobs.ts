import type { MessagePort } from 'node:worker_threads';
import type { TableName } from '../../core/records/tables.ts';
import type { EncodedChangeSet } from './change-set-codec.ts';
import { STORE_PROTOCOL_VERSION } from './store-protocol.ts';

/** To a thread that keeps the state of jobs of a follower: what transactions have changed since the last notice. */
export interface TouchedJobs {
  readonly v: typeof STORE_PROTOCOL_VERSION;
  readonly jobs: readonly string[];
  /** Rows may have changed that every job depends on. */
  readonly isEveryJob: boolean;
}

/** Tables whose keys begin with the id of the job that the row belongs to. */
export const JOB_TABLES: ReadonlySet<TableName> = new Set<TableName>([
  'job',
  'plan',
  'step',
  'taskPage',
  'attempt',
  'stepFailures',
  'taskRules',
]);

/** Tables with settings that jobs inherit. They change rarely. */
export const SETTINGS_TABLES: ReadonlySet<TableName> = new Set<TableName>(['farm', 'queue', 'usagePool']);

/** Bytes of a job id at the beginning of a key. */
const ID_BYTES = 36;
/** Touched jobs are gathered for this long, so that a busy log does not wake the subscriber for each record. */
const GATHER_MS = 200;

/**
 * Tells a thread that keeps the loaded state of jobs in memory which of them transactions have changed. A change is posted
 * after its transaction is readable: a state that was loaded after its notice contains it.
 */
export class TouchedJobsPublisher {
  readonly #port: MessagePort;
  readonly #jobs = new Set<string>();
  #isEveryJob = false;
  #due: NodeJS.Timeout | null = null;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  markDurable(): void {
    // Only readable changes matter.
  }

  beforeApply(sets: readonly EncodedChangeSet[]): void {
    for (const { changes } of sets) {
      for (const { table, key } of changes) {
        if (SETTINGS_TABLES.has(table)) this.#isEveryJob = true;
        else if (JOB_TABLES.has(table)) this.#touch(key);
      }
    }
    if (this.#isEveryJob || this.#jobs.size > 0) this.#due ??= setTimeout(() => this.flush(), GATHER_MS);
  }

  afterApply(): void {
    // The notice is posted in a later turn, or by `flush`.
  }

  notifyReadable(): void {
    // Its subscribers do not wait for changes to become readable.
  }

  /** Posts the jobs that were touched until now. Must be called between transactions. */
  flush(): void {
    if (this.#due !== null) clearTimeout(this.#due);
    this.#due = null;
    if (this.#jobs.size === 0 && !this.#isEveryJob) return;
    this.#port.postMessage({
      v: STORE_PROTOCOL_VERSION,
      jobs: [...this.#jobs],
      isEveryJob: this.#isEveryJob,
    } satisfies TouchedJobs);
    this.#jobs.clear();
    this.#isEveryJob = false;
  }

  /** Posts the last notice and ends. */
  close(): void {
    this.flush();
    this.#port.close();
  }

  /** Keys that are removed by their prefix may be those of several jobs. */
  #touch(key: Uint8Array): void {
    if (key.length < ID_BYTES) this.#isEveryJob = true;
    else this.#jobs.add(Buffer.from(key.buffer, key.byteOffset, ID_BYTES).toString('latin1'));
  }
}
