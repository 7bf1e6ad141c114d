import { stepIdOf, type JobId } from '../ids.ts';
import { coresOf } from '../lease/eligibility.ts';
import type {
  CapExplanation,
  Holder,
  LeaseExplanation,
  MeasuredLimit,
  PoolExplanation,
  ShortAmount,
  TasksAhead,
} from '../lease/explanation.ts';
import { VCPU } from '../../openjd/template/capabilities.ts';
import type {
  AmountsGate,
  CoresGate,
  FarmCapGate,
  HolderShare,
  OrderGate,
  QueueCapGate,
  UsagePoolGate,
} from './task-explanation.ts';
import type { FarmHolder, TaskFacts } from './task-facts.ts';
import type { PoolHold } from '../retry-rules/pool-hold.ts';
import { shareText } from './share-text.ts';
import { clockText, durationText, pluralize, listText, numberText, sentenceOf } from './wording.ts';

/** Maximum numbers of holders in an explanation and in its sentence. */
const HOLDERS_MAX = 10;
const NAMED_MAX = 3;

/** Reports whether a cap is reached. */
export const isReached = (cap: CapExplanation): boolean =>
  cap.maxConcurrentTasks > 0 && cap.live >= cap.maxConcurrentTasks;

/** Returns the gate of the farm's cap on concurrent tasks, if it is reached. */
export function farmCapGates(facts: TaskFacts, { farmCap: cap }: LeaseExplanation): FarmCapGate[] {
  if (!isReached(cap)) return [];
  const holders = sharesOf(facts, ownHolders(facts, cap.holders));
  const what = `farm ${facts.names.farm(facts.job.farmId)}`;
  return [
    {
      gate: 'farm_cap',
      reason: 'farm at max_concurrent_tasks',
      sentence: capSentence(facts, what, cap, holders),
      limit: cap.maxConcurrentTasks,
      live: cap.live,
      holders,
    },
  ];
}

/** Returns the gate of the queue's cap on concurrent tasks, if it is reached. */
export function queueCapGates(facts: TaskFacts, { queueCap: cap }: LeaseExplanation): QueueCapGate[] {
  if (!isReached(cap)) return [];
  const holders = sharesOf(facts, ownHolders(facts, cap.holders));
  const queue = { id: facts.job.queueId, name: facts.names.queue(facts.job.queueId) };
  return [
    {
      gate: 'queue_cap',
      reason: 'queue at max_concurrent_tasks',
      sentence: capSentence(facts, `queue ${queue.name}`, cap, holders),
      queue,
      limit: cap.maxConcurrentTasks,
      live: cap.live,
      holders,
    },
  ];
}

/** Returns the sentence of a cap that is reached: `What is at its cap of 40 concurrent tasks; job … holds 32`. */
export function capSentence(
  facts: TaskFacts,
  what: string,
  cap: CapExplanation,
  holders: readonly HolderShare[],
): string {
  const limit = pluralize(cap.maxConcurrentTasks, 'concurrent task');
  const live = cap.live === cap.maxConcurrentTasks ? '' : `, with ${numberText(cap.live)} live`;
  return sentenceOf(`${what} is at its cap of ${limit}${live}${holdersText(facts, holders, cap.live)}`);
}

const isRegistered = ({ maxConcurrent }: PoolExplanation): boolean => maxConcurrent !== null;

/** Reports whether a registered pool has too few free slots for a task, or gives out none. */
export const isPoolFull = ({ maxConcurrent, inUse, needed = 1, hold }: PoolExplanation): boolean =>
  maxConcurrent !== null && (inUse + needed > maxConcurrent || hold !== undefined);

/**
 * Returns the gates of full and of missing pools. A pending task gets only the missing ones, because pools may have
 * free slots again before it is ready.
 */
export function poolGates(facts: TaskFacts, { pools }: LeaseExplanation): UsagePoolGate[] {
  const isReady = facts.task.status === 'ready';
  return pools
    .filter((pool) => !isRegistered(pool) || (isReady && isPoolFull(pool)))
    .map((pool) => poolGate(facts, pool));
}

function poolGate(facts: TaskFacts, pool: PoolExplanation): UsagePoolGate {
  const { name, maxConcurrent, inUse, hold, measured } = pool;
  const elsewhere = facts.elsewhere.get(name) ?? [];
  const holders = sharesOf(facts, [...ownHolders(facts, pool.holders), ...elsewhere]);
  const clause =
    maxConcurrent === null
      ? `usage pool ${name} is not registered and has no slots: the task cannot start before it is`
      : hold !== undefined
        ? holdText(name, hold, facts.now)
        : fullText(facts, pool, maxConcurrent, holders);
  return {
    gate: 'usage_pool',
    reason: hold === undefined ? 'usage pool at capacity' : 'usage pool held back',
    sentence: sentenceOf(clause),
    pool: name,
    isRegistered: isRegistered(pool),
    limit: maxConcurrent ?? 0,
    live: inUse,
    holders,
    ...(hold !== undefined && { hold }),
    ...(measured !== undefined && { measured }),
  };
}

/** `usage pool houdini is at capacity: 4 of 5 slots are taken, and the task takes 2; job Sim v12 (Simulate) holds 2`. */
function fullText(
  facts: TaskFacts,
  { name, counts, inUse, needed = 1, measured }: PoolExplanation,
  maxConcurrent: number,
  holders: readonly HolderShare[],
): string {
  const taken = inUse === 1 ? 'slot is taken' : 'slots are taken';
  const use = `usage pool ${name} is at capacity: ${numberText(inUse)} of ${numberText(maxConcurrent)} ${taken}${measuredText(facts, measured)}`;
  // Their tasks are not slots.
  if (counts === 'hosts') return `${use}, one by each machine with such tasks`;
  if (counts !== 'amounts') return `${use}${holdersText(facts, holders, inUse)}`;
  const own = needed > maxConcurrent ? ', more than the pool has' : '';
  return `${use}, and the task takes ${numberText(needed)}${own}`;
}

/** ` (others use the rest of its 10, as measured 20 s ago)` */
const measuredText = ({ now }: TaskFacts, measured: MeasuredLimit | undefined): string =>
  measured === undefined
    ? ''
    : ` (others use the rest of its ${numberText(measured.maxConcurrent)}, as measured ${durationText(Math.max(0, now - measured.at))} ago)`;

/** `usage pool houdini is held back until 10:00:42 UTC, for 42 s more: …; 3 shortages in a row`. */
function holdText(name: string, { until, reason, times }: PoolHold, now: number): string {
  const again = times === 1 ? '' : `; ${numberText(times)} shortages in a row`;
  return `usage pool ${name} is held back until ${clockText(until, now)}, for ${durationText(until - now)} more: ${reason}${again}`;
}

/** Returns holders of the farm of the task. */
export const ownHolders = ({ job }: TaskFacts, holders: readonly Holder[]): FarmHolder[] =>
  holders.map((holder) => ({ ...holder, farmId: job.farmId }));

/** Returns the largest shares, in descending order, with the names of their holders. */
export function sharesOf({ names }: TaskFacts, holders: readonly FarmHolder[]): HolderShare[] {
  return holders
    .toSorted((a, b) => b.live - a.live)
    .slice(0, HOLDERS_MAX)
    .map(({ farmId, jobId, stepOrder, live }) => ({
      farm: { id: farmId, name: names.farm(farmId) },
      job: { id: jobId, name: names.job(jobId) },
      step: { id: stepIdOf(jobId, stepOrder), name: names.step(jobId, stepOrder) },
      live,
    }));
}

/** `; job Shot 010 (Render) holds 32, job Shot 020 (Comp) 8 and others 3`. */
function holdersText({ job }: TaskFacts, holders: readonly HolderShare[], total: number): string {
  const named = holders.slice(0, NAMED_MAX);
  if (named.length === 0) return '';
  const texts = named.map((holder, at) => {
    const farm = holder.farm.id === job.farmId ? '' : ` of farm ${holder.farm.name}`;
    const who = `${jobText(holder.job, job.id)} (${holder.step.name})${farm}`;
    return `${who} ${at === 0 ? 'holds ' : ''}${numberText(holder.live)}`;
  });
  const others = total - named.reduce((sum, { live }) => sum + live, 0);
  if (others > 0) texts.push(`others ${numberText(others)}`);
  return `; ${listText(texts)}`;
}

const jobText = (job: { readonly id: JobId; readonly name: string }, own: JobId): string =>
  job.id === own ? 'this job' : `job ${job.name}`;

/** Returns the gate if no eligible worker has enough free cores for the task. */
export function coresGates({ requirements }: TaskFacts, { workers }: LeaseExplanation): CoresGate[] {
  if (workers.eligible === 0 || workers.withRoom > 0) return [];
  if (workers.short !== undefined && !workers.short.some(({ name }) => name === VCPU)) return [];
  const cores = requirements.cores === null ? null : coresOf(requirements, Infinity);
  const why =
    cores === null
      ? 'it reserves a whole machine, because its step declares no amount.worker.vcpu'
      : `it reserves ${pluralize(cores, 'core')}`;
  return [
    {
      gate: 'cores',
      reason: 'no free cores',
      sentence: sentenceOf(`${busyText(workers)}; ${why}`),
      cores,
      eligible: workers.eligible,
    },
  ];
}

/** Returns the gate if eligible workers have too little of booked amounts free, and none has room. */
export function amountsGates({ workers }: LeaseExplanation): AmountsGate[] {
  if (workers.eligible === 0 || workers.withRoom > 0) return [];
  const short = (workers.short ?? []).filter(({ name }) => name !== VCPU);
  if (short.length === 0) return [];
  return [
    {
      gate: 'amounts',
      reason: 'no free amounts',
      sentence: sentenceOf(`${busyText(workers)}: ${shortText(short)}`),
      short,
      eligible: workers.eligible,
      policyVersion: workers.policyVersion ?? 0,
    },
  ];
}

/** `12 have too little amount.worker.memory free: it takes 65,536, and the most that is free is 12,288`. */
export function shortText(short: readonly ShortAmount[]): string {
  const named = short.slice(0, NAMED_MAX).map(({ name, needed, mostFree, workers }) => {
    const verb = workers === 1 ? 'has' : 'have';
    return `${numberText(workers)} ${verb} too little ${name} free (it takes ${numberText(needed)}, at most ${numberText(mostFree)} is free)`;
  });
  return listText(named);
}

/** `14 of 14 eligible workers are busy`. A worker that has room may be reserved (docs/decisions/reservation.md). */
export function busyText({
  eligible,
  keptForOthers,
}: Pick<LeaseExplanation['workers'], 'eligible' | 'keptForOthers'>): string {
  if (eligible === 1) {
    return keptForOthers === 0
      ? 'the only eligible worker is busy'
      : 'the only eligible worker is kept free for a task that was overtaken';
  }
  const kept =
    keptForOthers === 0 ? '' : `, or kept free for tasks that were overtaken (${numberText(keptForOthers)})`;
  return `${numberText(eligible)} of ${numberText(eligible)} eligible workers are busy${kept}`;
}

/** Returns the gate of the tasks that are served first. */
export function orderGates({ names }: TaskFacts, { before, share }: LeaseExplanation): OrderGate[] {
  if (!isBehind(before)) return [];
  const { tasks, jobs, isLowerBound, isWithheld } = before;
  const verb = tasks === 1 && jobs === 0 && isLowerBound !== true ? 'is' : 'are';
  const why = share === undefined ? '' : `: ${shareText(share, names)}`;
  return [
    {
      gate: 'order',
      reason: 'tasks before it',
      sentence: sentenceOf(`${beforeText(before)} ${verb} ahead of it${why}`),
      ...(isWithheld !== true && { tasks, jobs }),
    },
  ];
}

/** Reports whether other tasks are served first. */
export const isBehind = ({ tasks, isLowerBound }: TasksAhead): boolean => tasks > 0 || isLowerBound === true;

/** `1,204 tasks and 3 other jobs`, `57 tasks of its own job`, `at least 20,000 tasks and 9 other jobs`. */
export function beforeText({ tasks, jobs, isLowerBound }: TasksAhead): string {
  if (isLowerBound !== true)
    return jobs === 0
      ? `${pluralize(tasks, 'task')} of its own job`
      : `${pluralize(tasks, 'task')} and ${pluralize(jobs, 'other job')}`;
  if (tasks === 0) return 'other tasks';
  const among = jobs === 0 ? '' : ` and ${pluralize(jobs, 'other job')}`;
  return `at least ${pluralize(tasks, 'task')}${among}`;
}
