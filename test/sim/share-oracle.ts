import type { JobState } from '../../actors/service/job/state.ts';
import type { QueuePolicySetting } from '../../src/core/records/queue-policy.ts';
import { WIRE_LIMITS } from '../../src/core/wire/limits.ts';
import { sharerOf, type Level, type ShareLevels } from './share-levels.ts';
import { Violation } from './violation.ts';

/** A ready task. */
interface Candidate {
  readonly job: JobState;
  readonly stepOrder: number;
  readonly index: number;
}

/** One lease of a shared farm, for the oracle. */
export interface SharedLease<Task extends Candidate> {
  /** Tasks that the worker may run, in the order of the contract. */
  readonly candidates: readonly Task[];
  readonly setting: QueuePolicySetting;
  readonly levels: ShareLevels;
  /** Number of tasks of the lease. */
  readonly size: number;
  isMine(task: Task): boolean;
  /** Returns the cores of a task that fits now, or null. */
  coresIfItFits(task: Task): number | null;
  /** Returns the seconds for which each of its cores counts in advance. */
  advanceOf(task: Task): Level;
  /** Books a task of the lease. */
  take(task: Task): Violation | null;
  /** Reports whether its job has changed in this unit of work: the lease actor may not know it yet. */
  isFresh(task: Task): boolean;
}

/**
 * Computes a lease of a shared farm a second time: of all tasks that fit, takes that of the highest priority whose sharer
 * uses the least, until nothing fits. Where the use of two sharers is known only within bounds, either may be first.
 */
export function judgeSharedLease<Task extends Candidate>(lease: SharedLease<Task>): Violation | null {
  const left = new Set(lease.candidates.filter((task) => lease.isMine(task)));
  if (left.size < lease.size)
    return new Violation('only a candidate is taken', `${lease.size - left.size} are not`);
  const steps = new Set<string>();
  const open = new Map<string, Task[]>();
  for (const task of lease.candidates) {
    const name = stepOf(task);
    const ofStep = open.get(name);
    if (ofStep === undefined) open.set(name, [task]);
    else ofStep.push(task);
  }
  for (;;) {
    const heads = [...open.values()].flatMap(([head]) => head ?? []);
    const fitting = heads.filter((task) => lease.coresIfItFits(task) !== null);
    const first = firstOf(fitting, lease);
    if (first.length === 0)
      return left.size === 0 ? null : new Violation('only a task that fits is taken', namesOf([...left]));
    const mine = first.find((task) => lease.isMine(task));
    if (mine === undefined) {
      const fresh = first.filter((task) => lease.isFresh(task));
      for (const task of fresh) open.get(stepOf(task))?.shift();
      if (fresh.length > 0) continue;
      const isFull =
        lease.size >= WIRE_LIMITS.tasksPerLease ||
        first.some((task) => !steps.has(stepOf(task)) && steps.size >= WIRE_LIMITS.stepsPerLease);
      if (left.size === 0 && isFull) return null;
      return new Violation('tasks of a shared farm are taken in its order', `${namesOf(first)} comes first`);
    }
    const cores = lease.coresIfItFits(mine) ?? 0;
    const wrong = lease.take(mine);
    if (wrong !== null) return wrong;
    lease.levels.add(sharerOf(mine.job.record, lease.setting), cores, lease.advanceOf(mine));
    open.get(stepOf(mine))?.shift();
    steps.add(stepOf(mine));
    left.delete(mine);
  }
}

/** Returns the tasks of which each may be the first. */
function firstOf<Task extends Candidate>(tasks: readonly Task[], lease: SharedLease<Task>): readonly Task[] {
  const { setting, levels } = lease;
  const ranked = tasks.map((task, at) => ({
    task,
    at,
    priority: setting.priorityFirst ? task.job.record.priority : 0,
    levels: levels.of(sharerOf(task.job.record, setting)),
  }));
  type Ranked = (typeof ranked)[number];
  const comesBefore = (a: Ranked, b: Ranked): boolean => {
    if (a.priority !== b.priority) return a.priority > b.priority;
    if (sharerOf(a.task.job.record, setting) !== sharerOf(b.task.job.record, setting)) {
      for (const [at, own] of a.levels.entries()) {
        const other = b.levels[at];
        if (other === undefined || own.high < other.low) return true;
        if (other.high < own.low || !isExact(own) || !isExact(other)) return false;
      }
    }
    // The order of the contract decides between equal use.
    return a.at < b.at;
  };
  return ranked.filter((each) => !ranked.some((other) => comesBefore(other, each))).map(({ task }) => task);
}

const isExact = ({ low, high }: Level): boolean => low === high;

const stepOf = ({ job, stepOrder }: Candidate): string => `${job.record.id}-${stepOrder}`;

const namesOf = (tasks: readonly Candidate[]): string =>
  tasks.map((task) => `${stepOf(task)}-${task.index}`).join(', ');
