import { isInScope, type OwnerScope } from '../../src/core/access/owner-scope.ts';
import type { JobId } from '../../src/core/ids.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { keys } from '../../src/core/records/tables.ts';

/**
 * Tells which jobs a response may name (docs/contract/authentication.md#owner-scope). Reads each job once, so it is valid
 * in one turn.
 */
export class VisibleJobs {
  readonly #store: StoreReader;
  readonly #scope: OwnerScope;
  readonly #known = new Map<JobId, boolean>();

  constructor(store: StoreReader, scope: OwnerScope) {
    this.#store = store;
    this.#scope = scope;
  }

  /** True if all jobs are visible, also those that do not exist any more. */
  get isEveryone(): boolean {
    return this.#scope === null;
  }

  /** Reports whether a job is visible. A job that does not exist has no owner: only those who see all jobs see it. */
  readonly has = (id: JobId): boolean => {
    if (this.#scope === null) return true;
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const job = this.#store.get('job', keys.job(id));
    const isVisible = job !== undefined && isInScope(this.#scope, job.owner);
    this.#known.set(id, isVisible);
    return isVisible;
  };
}
