/**
 * Invariants: both maps describe the same dependencies; a job without dependencies or dependents is in neither. Exits:
 * `remove` drops the dependencies of a job; those of its dependents stay.
 */

import { detachString } from './detach-string.ts';

/** Dependencies between jobs, in both directions. A job without dependencies takes no memory. */
export class Upstreams {
  readonly #dependents = new Map<string, Set<string>>();
  readonly #upstreams = new Map<string, readonly string[]>();

  /** Adds a job with the ids of the jobs that it depends on. They never change. */
  add(id: string, dependsOn: readonly string[]): void {
    if (dependsOn.length === 0) return;
    const upstreams = dependsOn.map(detachString);
    this.#upstreams.set(id, upstreams);
    for (const upstream of upstreams) {
      const known = this.#dependents.get(upstream);
      if (known === undefined) this.#dependents.set(upstream, new Set([id]));
      else known.add(id);
    }
  }

  /** Removes a job. Jobs that depend on it keep the dependency. */
  remove(id: string): void {
    for (const upstream of this.#upstreams.get(id) ?? []) {
      const dependents = this.#dependents.get(upstream);
      dependents?.delete(id);
      if (dependents?.size === 0) this.#dependents.delete(upstream);
    }
    this.#upstreams.delete(id);
  }

  /** Returns the ids of the jobs that depend on a job, in the order of ids, which is the order of creation. */
  dependentsOf(id: string): readonly string[] {
    return [...(this.#dependents.get(id) ?? [])].sort();
  }
}
