/**
 * A task is in `plain`, or in the group of the workers on which it failed. Invariants: `inGroups` is the number of
 * tasks in groups; no group is empty. Exits: `remove`, `takeFirst` and `clear`.
 */

import type { WorkerId } from '../ids.ts';
import { ReadyTimes } from './ready-times.ts';
import { TaskRanges, type TaskRange } from './task-ranges.ts';

/** Decides if tasks that failed on these workers, or on none, may be taken. */
export type Allows = (avoided: readonly WorkerId[]) => boolean;

const NONE: readonly WorkerId[] = [];

/** Tasks that failed on the same workers. */
interface Group {
  readonly avoided: readonly WorkerId[];
  readonly tasks: TaskRanges;
}

/**
 * The ready tasks of one step. Tasks with failures are kept separately, by the workers they failed on: the check for a
 * worker visits each group once, not each task.
 */
export class ReadyTasks {
  private readonly plain = new TaskRanges();
  private readonly groups = new Map<string, Group>();
  private readonly times = new ReadyTimes();
  private inGroups = 0;

  get size(): number {
    return this.plain.size + this.inGroups;
  }

  /** Returns the number of tasks that failed on some worker. */
  get avoiding(): number {
    return this.inGroups;
  }

  /** Returns the time at which its oldest ready task became ready (milliseconds since the epoch); Infinity for none. */
  get since(): number {
    return this.times.since(this.size);
  }

  /** Adds tasks that became ready at `since`. */
  add(range: TaskRange, since: number, avoided: readonly WorkerId[] = []): void {
    this.times.add(range, since, this.size);
    if (avoided.length === 0) {
      this.plain.add(range);
      return;
    }
    const key = [...avoided].sort().join(' ');
    let group = this.groups.get(key);
    if (group === undefined) {
      group = { avoided, tasks: new TaskRanges() };
      this.groups.set(key, group);
    }
    const before = group.tasks.size;
    group.tasks.add(range);
    this.inGroups += group.tasks.size - before;
  }

  /** Removes a task. Reports whether it was ready. */
  remove(index: number): boolean {
    this.times.forget({ start: index, count: 1 });
    if (this.plain.remove(index)) return true;
    for (const [key, { tasks }] of this.groups) {
      if (!tasks.remove(index)) continue;
      this.inGroups--;
      if (tasks.size === 0) this.groups.delete(key);
      return true;
    }
    return false;
  }

  clear(): void {
    this.times.clear();
    this.plain.takeFirst(this.plain.size);
    this.groups.clear();
    this.inGroups = 0;
  }

  /** Returns the number of tasks that may be taken. */
  countFor(allows: Allows): number {
    let count = this.plain.size > 0 && allows(NONE) ? this.plain.size : 0;
    for (const { avoided, tasks } of this.groups.values()) if (allows(avoided)) count += tasks.size;
    return count;
  }

  /** Takes up to `howMany` tasks with the lowest indices. */
  takeFirst(howMany: number, allows: Allows): TaskRange[] {
    const taken = this.takeLowest(howMany, allows);
    for (const range of taken) this.times.forget(range);
    return taken;
  }

  private takeLowest(howMany: number, allows: Allows): TaskRange[] {
    if (this.inGroups === 0) return allows(NONE) ? this.plain.takeFirst(howMany) : [];
    const sets = allows(NONE) ? [this.plain] : [];
    for (const { avoided, tasks } of this.groups.values()) if (allows(avoided)) sets.push(tasks);
    const taken = new TaskRanges();
    while (taken.size < howMany) {
      const heads = sets.flatMap((set) => {
        const [run] = set;
        return run === undefined ? [] : [{ set, ...run }];
      });
      heads.sort((a, b) => a.start - b.start);
      const [lowest, next] = heads;
      if (lowest === undefined) break;
      // Stop at the end of the first run: the next set may contain the index after it.
      const upTo = next === undefined ? Infinity : Math.min(lowest.count, next.start - lowest.start);
      for (const range of lowest.set.takeFirst(Math.min(howMany - taken.size, upTo))) taken.add(range);
    }
    this.inGroups = 0;
    for (const [key, { tasks }] of this.groups) {
      this.inGroups += tasks.size;
      if (tasks.size === 0) this.groups.delete(key);
    }
    return [...taken];
  }

  has(index: number): boolean {
    return this.sets().some((set) => set.has(index));
  }

  /** Returns the lowest index; null if no task is ready. */
  first(): number | null {
    let lowest: number | null = null;
    for (const set of this.sets()) {
      const [run] = set;
      if (run !== undefined && (lowest === null || run.start < lowest)) lowest = run.start;
    }
    return lowest;
  }

  /** Returns the number of ready tasks with a lower index. */
  countBelow(index: number): number {
    let count = 0;
    for (const set of this.sets()) {
      for (const { start, count: length } of set) {
        if (start >= index) break;
        count += Math.min(length, index - start);
      }
    }
    return count;
  }

  /** Returns the workers on which the task has failed; empty if the task is not ready. */
  avoidedBy(index: number): readonly WorkerId[] {
    for (const { avoided, tasks } of this.groups.values()) if (tasks.has(index)) return avoided;
    return [];
  }

  private sets(): readonly TaskRanges[] {
    return [this.plain, ...[...this.groups.values()].map((group) => group.tasks)];
  }
}
