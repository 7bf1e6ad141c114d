import type { WorkerId } from '../ids.ts';
import { TaskRanges, type TaskRange } from './task-ranges.ts';

/** Whether tasks that these workers have failed may be taken all the same. */
export type Allows = (avoided: readonly WorkerId[]) => boolean;

/** Tasks that the same workers have failed. */
interface Group {
  readonly avoided: readonly WorkerId[];
  readonly tasks: TaskRanges;
}

/**
 * The ready tasks of one step. Those that workers have failed are kept apart, by the workers: a worker that is passed
 * over looks at each group once, not at each task.
 */
export class ReadyTasks {
  private readonly plain = new TaskRanges();
  private readonly groups = new Map<string, Group>();
  private inGroups = 0;

  get size(): number {
    return this.plain.size + this.inGroups;
  }

  /** How many of the tasks some worker has failed. */
  get avoiding(): number {
    return this.inGroups;
  }

  add(range: TaskRange, avoided: readonly WorkerId[] = []): void {
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

  /** Whether the task was ready; it is not any more. */
  remove(index: number): boolean {
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
    this.plain.takeFirst(this.plain.size);
    this.groups.clear();
    this.inGroups = 0;
  }

  /** How many tasks may be taken. */
  countFor(allows: Allows): number {
    let count = this.plain.size;
    for (const { avoided, tasks } of this.groups.values()) if (allows(avoided)) count += tasks.size;
    return count;
  }

  /** Takes the `howMany` lowest indices that may be taken, or all that there are. */
  takeFirst(howMany: number, allows: Allows): TaskRange[] {
    if (this.inGroups === 0) return this.plain.takeFirst(howMany);
    const sets = [this.plain];
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
      // No further than the first run goes: the next set may have what lies behind it.
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

  /** How many ready tasks have a lower index. */
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

  /** The workers that have failed the task; none for a task that is not ready. */
  avoidedBy(index: number): readonly WorkerId[] {
    for (const { avoided, tasks } of this.groups.values()) if (tasks.has(index)) return avoided;
    return [];
  }

  private sets(): readonly TaskRanges[] {
    return [this.plain, ...[...this.groups.values()].map((group) => group.tasks)];
  }
}
