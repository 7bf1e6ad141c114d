import type { JobId } from '../../src/core/ids.ts';
import type { StateReader } from '../../src/adapters/lmdb/state-reader.ts';

/** Maximum number of cached jobs. The cache saves a store read per log chunk. */
const REMEMBERED_JOBS_MAX = 10_000;

/**
 * Caches which jobs are in the state store. A job is readable before its first task is leased, so a job that is missing
 * when a chunk of it arrives was deleted and never returns.
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

  /** Reports whether a job is in the state store now, past the cache. */
  exists(job: JobId): boolean {
    this.reader.refresh();
    return this.reader.get('job', job) !== undefined;
  }

  /** Removes a deleted job from the cache. */
  forget(job: JobId): void {
    this.known.delete(job);
  }
}
