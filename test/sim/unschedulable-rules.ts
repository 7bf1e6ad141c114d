import type { JobMessage } from '../../actors/service/job/messages.ts';
import { ineligibleAt, takesTasks } from './eligibility-oracle.ts';
import { needsOf } from './retry-rule-oracle.ts';
import { isHeldPool, waitsForCanaries } from './guard-rules.ts';
import { isLeasable } from './invariant-frame.ts';
import type { StepRequirements } from '../../src/openjd/template/plan.ts';
import { holdersOf } from './pool-and-worker-invariants.ts';
import { taskAt } from './job-snapshot.ts';
import type { FarmView } from './service-view.ts';
import { Violation } from './violation.ts';

/** docs/contract/workers.md#unschedulable-tasks: the reasons for a ready task without an eligible online worker. */
const NO_WORKERS = 'no online workers';
const NO_ELIGIBLE = 'no eligible online worker: ';
const TIGHTER_LIMITS = "the worker's advertised expression limits are tighter than the server's";
const POOL_FULL = `${NO_ELIGIBLE}usage pool at capacity`;

/** Longest delay until a due task is marked: one sweep, and the turn after it. */
export const SWEEP_MS_MAX = 4_000;

/** A farm with the other inputs of its ready tasks. */
export interface Surroundings {
  readonly view: FarmView;
  /** Online workers of all farms. */
  readonly onlineInAll: number;
  /** Reports whether a task with these requirements gets a slot of the pool on some worker. */
  readonly hasPoolRoom: (name: string, needs: StepRequirements) => boolean;
}

/** `all` contains the views of all farms. */
export const surroundingsOf = (view: FarmView, all: readonly FarmView[]): Surroundings => ({
  view,
  onlineInAll: all.flatMap(({ workers }) => workers).filter(takesTasks).length,
  hasPoolRoom: (name, needs) => {
    const { maxConcurrent, inUse, counts, hold } = view.lease.pools.stateOf(name);
    if (hold !== undefined || maxConcurrent === null || isHeldPool(view.lease, name)) return false;
    if (counts === 'hosts' && view.jobs.some((job) => holdersOf(job, name) > 0))
      return inUse <= maxConcurrent;
    return inUse + (counts === 'amounts' ? (needs.poolAmounts?.[name] ?? 1) : 1) <= maxConcurrent;
  },
});

/**
 * Returns why no online worker is eligible for the step, or null. Of several workers, the one that passes the most
 * gates counts.
 */
function reasonOf(
  { view, onlineInAll, hasPoolRoom }: Surroundings,
  job: FarmView['jobs'][number],
  stepOrder: number,
): string | null {
  const step = job.steps[stepOrder];
  if (step === undefined) return null;
  const needs = needsOf(step);
  const online = view.workers.filter(takesTasks);
  if (online.length === 0) return onlineInAll === 0 ? NO_WORKERS : `${NO_ELIGIBLE}farm mismatch`;
  const gates = [
    'queue affinity',
    'compute location mismatch',
    'amount requirement not met',
    'attribute requirement not met',
  ];
  let furthest = -1;
  for (const { record } of online) {
    const gate = ineligibleAt(record, job.record.queueId, needs);
    if (gate === null) return needs.pools.every((name) => hasPoolRoom(name, needs)) ? null : POOL_FULL;
    furthest = Math.max(furthest, gate);
  }
  return furthest === gates.length ? TIGHTER_LIMITS : NO_ELIGIBLE + (gates[furthest] ?? '');
}

/** Checks the lease actor's notifications of unschedulable tasks against the current state of the farm. */
export function judgeReasons(
  messages: readonly { readonly jobId: string; readonly message: JobMessage }[],
  around: Surroundings,
): Violation | null {
  for (const { jobId, message } of messages) {
    if (message.type !== 'step.unschedulable') continue;
    const job = around.view.jobs.find(({ record }) => record.id === jobId);
    if (job === undefined) continue;
    const reason = reasonOf(around, job, message.stepOrder);
    if (reason === message.reason) continue;
    const detail = `${jobId} step ${message.stepOrder}: "${message.reason}", not "${reason ?? ''}"`;
    return new Violation('a task without an eligible worker has a reason', detail);
  }
  return null;
}

/**
 * I6: a task is marked only while no worker is eligible. `quietSince` (milliseconds since the epoch): the farm has not
 * changed since then, so a task without an eligible worker must be marked in time.
 */
export function judgeMarks(
  around: Surroundings,
  now: number,
  graceMs: number,
  quietSince: number | null,
): string | null {
  for (const job of around.view.jobs) {
    if (!isLeasable(job)) continue;
    for (const step of job.steps) {
      const { order, taskCount, taskCounts, hold } = step.record;
      if (hold !== null && taskCounts.unschedulable > 0)
        return `${job.record.id} step ${order}: ${taskCounts.unschedulable} tasks of a held step are marked`;
      if (taskCounts.ready === 0 || hold !== null) continue;
      const reason = reasonOf(around, job, order);
      const at = `${job.record.id} step ${order}`;
      if (reason === null && taskCounts.unschedulable > 0)
        return `${at}: ${taskCounts.unschedulable} tasks are marked, but a worker is eligible`;
      if (reason === null || reason === POOL_FULL || graceMs === 0 || quietSince === null) continue;
      for (let index = 0; index < taskCount; index++) {
        const { status, own } = taskAt(step, index);
        const { untouched } = step.record;
        const isMarked = own === null ? untouched.unschedulable === true : own.unschedulable;
        if (status !== 'ready' || isMarked || waitsForCanaries(job, step, index)) continue;
        const readyAt =
          own === null ? untouched.updatedAt : Math.max(own.updatedAt, own.retryAfter ?? own.updatedAt);
        const dueAt = Math.max(readyAt + graceMs, quietSince, job.record.updatedAt) + SWEEP_MS_MAX;
        if (now > dueAt)
          return `${at} task ${index} is not marked ${now - dueAt} ms after it should be: ${reason}`;
      }
    }
  }
  return null;
}
