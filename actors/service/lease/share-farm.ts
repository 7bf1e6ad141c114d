import { put, remove, removePrefix } from '../../../src/core/records/change-set.ts';
import type { StepName } from '../../../src/core/lease/candidate-order.ts';
import { WorkerUses } from '../../../src/core/lease/worker-uses.ts';
import type { QueuePolicySetting } from '../../../src/core/records/queue-policy.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { ServiceContext } from '../service-system.ts';
import { sharesOf } from './load-shares.ts';
import type { LeaseState, LeaseWorker } from './state.ts';

type LeaseContext = ServiceContext<'lease'>;

/**
 * Applies another queue policy to later leases. Usage is kept while the policy shares the farm among the same kind of
 * sharers; otherwise it is counted from now on.
 */
export function changePolicy(
  state: LeaseState,
  setting: QueuePolicySetting | null,
  context: LeaseContext,
): void {
  const before = state.index.shares;
  if ((setting?.version ?? 0) === state.queuePolicyVersion) return;
  state.queuePolicyVersion = setting?.version ?? 0;
  before?.advance(context.now);
  const keepsUsage =
    before !== null && before.setting.kind === setting?.kind && before.setting.sharedBy === setting.sharedBy;
  const next = sharesOf(setting, keepsUsage ? before.usages() : []);
  if (keepsUsage) saveShares(state, context);
  else if (before !== null) context.change(removePrefix('shareUsage', keys.shareUsageOf(state.farmId)));
  state.index.shareBy(next);
  if (next === null) return;
  for (const { uses } of state.workers.values()) {
    for (const { jobId, stepOrder, cores } of uses.all()) next.count(jobId, stepOrder, cores);
  }
  next.saveAll();
  if (state.recovery === 'ready') next.start(context.now);
}

/** Counts cores of a worker that tasks of a step have taken; negative: that are free again. */
export function countUse(
  state: LeaseState,
  { uses }: LeaseWorker,
  { jobId, stepOrder }: StepName,
  cores: number,
): void {
  uses.add(jobId, stepOrder, cores);
  state.index.shares?.count(jobId, stepOrder, cores);
}

/** Counts the cores of a worker that has replaced another offer, or none. */
export function replaceUses(
  { index: { shares } }: LeaseState,
  before: LeaseWorker | undefined,
  after: LeaseWorker | undefined,
): void {
  if (shares === null) return;
  const changes = new WorkerUses(after?.uses.all());
  for (const { jobId, stepOrder, cores } of before?.uses.all() ?? []) changes.add(jobId, stepOrder, -cores);
  for (const { jobId, stepOrder, cores } of changes.all()) shares.count(jobId, stepOrder, cores);
}

/** Writes the usage that has changed, once per commit window. */
export function saveShares(state: LeaseState, context: LeaseContext): void {
  const { shares } = state.index;
  if (shares === null || state.isDeleted) return;
  const { changed, forgotten } = shares.takeUnsaved();
  for (const name of forgotten) context.change(remove('shareUsage', keys.shareUsage(state.farmId, name)));
  for (const usage of changed)
    context.change(put('shareUsage', keys.shareUsage(state.farmId, usage.name), { version: 1, ...usage }));
}
