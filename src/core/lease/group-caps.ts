/**
 * A group exists while a step of its owner or project is in the index and has a cap. Invariants: `live` is the sum over
 * the steps of the group; `signatures` has exactly the signatures of these steps. Exits: the last step that leaves a
 * group removes it.
 */

import type { QueueId } from '../ids.ts';
import { capOfName, type CapsByName, type NamedCaps } from '../records/named-caps.ts';
import type { CapBy, CapGroup, Signature } from './step-entry.ts';

/** Fields of a step that decide about its groups. */
interface GroupedStep {
  readonly queueId: QueueId;
  readonly owner: string;
  readonly project: string;
}

export const NO_CAP_GROUPS: readonly CapGroup[] = [];

/** Returns how many more tasks may run under the caps of all these groups. */
export function roomOfGroups(groups: readonly CapGroup[]): number {
  let room = Infinity;
  for (const { maxConcurrentTasks, live } of groups) room = Math.min(room, maxConcurrentTasks - live);
  return room;
}

/** Counts tasks that became live, or settled if negative. Returns the groups that were full and have room now. */
export function countInGroups(groups: readonly CapGroup[], change: number): readonly CapGroup[] {
  let reopened = NO_CAP_GROUPS;
  for (const group of groups) {
    const wasFull = group.live >= group.maxConcurrentTasks;
    group.live += change;
    if (wasFull && group.live < group.maxConcurrentTasks) reopened = [...reopened, group];
  }
  return reopened;
}

/**
 * The caps on live tasks of owners and projects of a farm (docs/policy.md#caps). The groups of a step are part of its
 * requirement signature: a lease skips all steps of a full owner at once.
 */
export class GroupCaps {
  private farm: NamedCaps = {};
  private readonly queues = new Map<QueueId, NamedCaps>();
  private readonly groups = new Map<string, CapGroup>();

  /** Sets the caps of the farm. Reports whether they have changed: the groups of all steps have to be found again. */
  limitFarm(caps: NamedCaps): boolean {
    const isSame = areSame(this.farm, caps);
    this.farm = caps;
    return !isSame;
  }

  /** Sets the caps of a queue, like `limitFarm`. */
  limitQueue(queueId: QueueId, caps: NamedCaps): boolean {
    const isSame = areSame(this.queues.get(queueId) ?? {}, caps);
    if (caps.ownerCaps === undefined && caps.projectCaps === undefined) this.queues.delete(queueId);
    else this.queues.set(queueId, caps);
    return !isSame;
  }

  /** Adds a step to its groups, and returns them. */
  join({ queueId, owner, project }: GroupedStep): readonly CapGroup[] {
    const { farm, queues } = this;
    if (queues.size === 0 && farm.ownerCaps === undefined && farm.projectCaps === undefined)
      return NO_CAP_GROUPS;
    const ofQueue = queues.get(queueId);
    const found = [
      this.groupOf('owner', owner, null, farm.ownerCaps),
      this.groupOf('project', project, null, farm.projectCaps),
      this.groupOf('owner', owner, queueId, ofQueue?.ownerCaps),
      this.groupOf('project', project, queueId, ofQueue?.projectCaps),
    ];
    const groups = found.filter((group) => group !== null);
    if (groups.length === 0) return NO_CAP_GROUPS;
    for (const group of groups) group.members++;
    return groups;
  }

  /** Removes a step from its groups. Its live tasks do not count any more. */
  leave(groups: readonly CapGroup[]): void {
    for (const group of groups) {
      group.members--;
      if (group.members === 0) this.groups.delete(group.key);
    }
  }

  private groupOf(
    by: CapBy,
    name: string,
    queueId: QueueId | null,
    caps: CapsByName | undefined,
  ): CapGroup | null {
    const maxConcurrentTasks = capOfName(caps, name);
    if (maxConcurrentTasks === 0) return null;
    const key = JSON.stringify([by, queueId, name]);
    const known = this.groups.get(key);
    if (known !== undefined) {
      known.maxConcurrentTasks = maxConcurrentTasks;
      return known;
    }
    const group = {
      key,
      by,
      name,
      queueId,
      maxConcurrentTasks,
      live: 0,
      members: 0,
      signatures: new Set<Signature>(),
    };
    this.groups.set(key, group);
    return group;
  }
}

const areSame = (a: NamedCaps, b: NamedCaps): boolean =>
  JSON.stringify([a.ownerCaps, a.projectCaps]) === JSON.stringify([b.ownerCaps, b.projectCaps]);
