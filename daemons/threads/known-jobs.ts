import type { JobId } from '../../src/core/ids.ts';
import type { StateReader } from '../../src/adapters/lmdb/state-reader.ts';

/** Jobs that are remembered, so that a log chunk costs no look at the state store. */
const REMEMBERED_JOBS_MAX = 10_000;

/**
 * Whether the state store has a job. A job can be read before its first task is leased, so that one that is not there
 * when a chunk of it comes was deleted, and never comes back.
 */
export class KnownJobs {
  private readonly reader: Pick<StateReader, 'get' | 'refresh'>;
  private readonly known = new Set<JobId>();

  constructor(reader: Pick<StateReader, 'get' | 'refresh'>) {
    this.reader = reader;
  }

  has(job: JobId): boolean {
    if (this.known.has(job)) return true;
    this.reader.refresh();
    if (this.reader.get('job', job) === undefined) return false;
    if (this.known.size >= REMEMBERED_JOBS_MAX) this.known.clear();
    this.known.add(job);
    return true;
  }

  /** The job was deleted: the next look is at the store. */
  forget(job: JobId): void {
    this.known.delete(job);
  }
}
