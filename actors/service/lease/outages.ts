import type { JobId } from '../../../src/core/ids.ts';
import { put, remove } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { outageChanges, type OutageEndReason } from '../../../src/core/outages/changes.ts';
import {
  atTime,
  nextDue,
  withEnded,
  withFailure,
  withoutVerdict,
  withProbe,
  withSuccess,
} from '../../../src/core/outages/decide.ts';
import {
  lastingOutages,
  NO_OUTAGES,
  placeText,
  type OutagePlace,
  type OutageSetting,
  type OutagesRecord,
  type RecentEnd,
} from '../../../src/core/outages/outage.ts';
import { done, refused } from '../../../src/core/problems.ts';
import type { ServiceContext } from '../service-system.ts';
import type { EndedAttempt, LeaseMessage } from './messages.ts';
import { publishOutageChange } from './outage-events.ts';
import { roomOf } from './outage-state.ts';
import { reindexParkedRequests, servePool, serveWorkers } from './serve.ts';
import type { LeaseState } from './state.ts';
import { clearSchedulable } from './unschedulable-sweep.ts';

/*
 * Outages that many jobs share (docs/outages.md). All decisions are functions of the stored record, the setting of the
 * farm and the time, so that an actor that is loaded again decides like one in memory.
 */

type LeaseContext = ServiceContext<'lease'>;
type Of<Type extends LeaseMessage['type']> = Extract<LeaseMessage, { readonly type: Type }>;

/** Decides whether the failure of an attempt counts, and answers its job. */
export function onFailureWeigh(state: LeaseState, message: Of<'failure.weigh'>, context: LeaseContext): void {
  const { jobId, report, failure } = message;
  const { setting, record } = state.outages;
  const answer = { type: 'failure.weighed', workerId: failure.workerId, report } as const;
  if (setting?.isOn !== true) {
    context.send('job', jobId, { ...answer, mark: null });
    return;
  }
  const end = recentEnd(state, jobId, failure, context.now);
  const decision = withFailure(atTime(record, context.now), end, setting, context.now);
  context.send('job', jobId, { ...answer, mark: decision.mark });
  for (const [job, attempts] of byJob(decision.excused))
    context.send('job', job, { type: 'failures.excused', attempts });
  change(state, decision.record, 'task passed', context);
}

/** Notes attempts that have succeeded, or ended without a verdict. */
export function onAttemptsEnded(
  state: LeaseState,
  message: Of<'attempts.ended'>,
  context: LeaseContext,
): void {
  const { setting } = state.outages;
  if (setting?.isOn !== true) return;
  let { record } = state.outages;
  for (const ended of message.ends) {
    record = ended.hasSucceeded
      ? withSuccess(record, recentEnd(state, message.jobId, ended, context.now), setting, context.now)
      : withoutVerdict(record, ended.attemptId);
  }
  change(state, record, 'task passed', context);
}

/** Ends holds and passes probes whose time has come. */
export function onOutageDue(state: LeaseState, _message: unknown, context: LeaseContext): void {
  change(state, atTime(state.outages.record, context.now), 'task passed', context);
  refresh(state, context);
}

/** Ends an outage at the request of a user. */
export function onOutageEnd(state: LeaseState, message: Of<'outage.end'>, context: LeaseContext): void {
  const { place, by, replyTo } = message;
  const next = withEnded(state.outages.record, place, context.now);
  if (next === state.outages.record) {
    context.reply(replyTo, refused('conflict', `there is no outage of ${placeText(place)}`));
    return;
  }
  context.log('info', 'an outage was ended by a user', { place: placeText(place), by });
  change(state, next, 'ended by a user', context);
  context.reply(replyTo, done(null));
}

/** Applies the setting of the farm. Without it, all outages end. */
export function setOutages(state: LeaseState, setting: OutageSetting | null, context: LeaseContext): void {
  if (state.outages.setting?.version === setting?.version) return;
  state.outages.setting = setting;
  if (setting?.isOn !== true) change(state, NO_OUTAGES, 'turned off', context);
}

/** Publishes the end of the outages of a farm that was deleted. */
export function endOutagesOfDeleted(state: LeaseState, context: LeaseContext): void {
  const { record } = state.outages;
  for (const each of outageChanges(record, NO_OUTAGES, 'farm deleted', context.now))
    publishOutageChange(state, each, context);
}

/** Applies the stored outages after the actor was loaded. */
export function startOutages(state: LeaseState, context: LeaseContext): void {
  if (state.outages.record.outages.length > 0) refresh(state, context);
}

/** Writes the record if it has changed, once per commit window. */
export function saveOutages({ outages, farmId, isDeleted }: LeaseState, context: LeaseContext): void {
  if (!outages.isUnsaved || isDeleted) return;
  outages.isUnsaved = false;
  const { record } = outages;
  const isEmpty = record.recent.length + record.outages.length === 0;
  const key = keys.farmOutages(farmId);
  context.change(isEmpty ? remove('farmOutages', key) : put('farmOutages', key, record));
}

/** Records the attempts that try places after their job has assigned them, or that it has refused to. */
export function confirmProbes(state: LeaseState, message: Of<'tasks.taken'>, context: LeaseContext): void {
  const { outages, index } = state;
  const places = outages.probing.get(message.leaseId);
  if (places === undefined) return;
  const { jobId, stepOrder, assignments } = message;
  const pools = index.entry(jobId, stepOrder)?.requirements.pools ?? [];
  const mine = places.filter(({ kind, name }) => kind === 'compute location' || pools.includes(name));
  const left = places.filter((each) => !mine.includes(each));
  if (left.length === 0) outages.probing.delete(message.leaseId);
  else outages.probing.set(message.leaseId, left);
  const [first] = assignments;
  let { record } = outages;
  if (first !== undefined)
    for (const place of mine)
      record = withProbe(record, place, { attemptId: first.attempt_id, jobId }, context.now);
  change(state, record, 'task passed', context);
  refresh(state, context);
}

function recentEnd(
  { workers }: LeaseState,
  jobId: JobId,
  { attemptId, workerId, startedAt, pools, key, text = '', isFirstOnWorker = true }: EndedAttempt,
  now: number,
): RecentEnd {
  const location = workers.get(workerId)?.offer.computeLocation ?? '';
  const fields = { attemptId, jobId, workerId, startedAt, at: now, pools, location, isFirstOnWorker };
  return { ...fields, key: key ?? null, message: text };
}

/** Replaces the record, and applies what follows from it. `cause`: why outages end by the change. */
function change(state: LeaseState, next: OutagesRecord, cause: OutageEndReason, context: LeaseContext): void {
  const before = state.outages.record;
  if (next === before) return;
  state.outages.record = next;
  state.outages.isUnsaved = true;
  context.markDirty();
  if (next.outages === before.outages) return;
  for (const each of outageChanges(before, next, cause, context.now))
    publishOutageChange(state, each, context);
  refresh(state, context);
}

/** Applies how many tasks may start in each place, and serves what may start now. */
function refresh(state: LeaseState, context: LeaseContext): void {
  const { outages, pools } = state;
  const lasting = lastingOutages(outages.record, context.now);
  const rooms = (kind: OutagePlace['kind']): ReadonlyMap<string, 0 | 1> =>
    new Map(
      lasting
        .filter((each) => each.kind === kind)
        .map((each) => [each.name, roomOf(outages, each, context.now)]),
    );
  const before = outages.locations;
  outages.locations = new Map(rooms('compute location'));
  const opened = pools.setOutageRooms(rooms('usage pool'));
  const changed = [...new Set([...before.keys(), ...outages.locations.keys()])].filter(
    (location) => before.get(location) !== outages.locations.get(location),
  );
  const due = nextDue(outages.record, context.now);
  if (due !== null) context.after('outages', Math.max(1, due - context.now), { type: 'outage.due' });
  const workers = [...state.workers.values()].filter(({ offer }) => changed.includes(offer.computeLocation));
  for (const worker of workers) reindexParkedRequests(state, worker);
  if (state.recovery !== 'ready') return;
  const open = workers.filter(({ offer }) => outages.locations.get(offer.computeLocation) !== 0);
  serveWorkers(state, new Set(open.map(({ offer }) => offer.workerId)), context);
  for (const pool of opened) servePool(state, pool, context);
  if (opened.length > 0) clearSchedulable(state, context);
}

function byJob(ends: readonly RecentEnd[]): ReadonlyMap<JobId, readonly RecentEnd[]> {
  const jobs = new Map<JobId, RecentEnd[]>();
  for (const end of ends) jobs.set(end.jobId, [...(jobs.get(end.jobId) ?? []), end]);
  return jobs;
}
