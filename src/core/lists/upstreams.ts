import { detachString } from './detach-string.ts';

/** Which jobs depend on which, both ways. A job without dependencies takes no memory. */
export class Upstreams {
  readonly #dependents = new Map<string, Set<string>>();
  readonly #upstreams = new Map<string, readonly string[]>();

  /** A job is there, with the ids of the jobs that it depends on; those never change. */
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

  /** A job is gone; what depended on it still says so. */
  remove(id: string): void {
    for (const upstream of this.#upstreams.get(id) ?? []) {
      const dependents = this.#dependents.get(upstream);
      dependents?.delete(id);
      if (dependents?.size === 0) this.#dependents.delete(upstream);
    }
    this.#upstreams.delete(id);
  }

  /** The ids of the jobs that depend on a job, in the order of ids, which is that of creation. */
  dependentsOf(id: string): readonly string[] {
    return [...(this.#dependents.get(id) ?? [])].sort();
  }
}
