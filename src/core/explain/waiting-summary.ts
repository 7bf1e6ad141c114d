import type { LeaseExplanation } from '../lease/explanation.ts';
import { amountsGates, beforeText, busyText, isBehind, shortText } from './capacity-gates.ts';
import { shareText } from './share-text.ts';
import { placeText } from '../outages/outage.ts';
import { quarantineGates } from './quarantine-gate.ts';
import type { Gate, GateName } from './task-explanation.ts';
import type { TaskFacts } from './task-facts.ts';
import { HIDDEN_JOB } from './upstream-gates.ts';
import { preemptionReason } from '../records/preemption.ts';
import { clockText, durationText, pluralize, joinAtMost, numberText, sentenceOf } from './wording.ts';

/** Maximum number of upstream steps or jobs that the summary details, and of its additional reasons. */
const NAMED_MAX = 3;

/**
 * Gates in the order of importance. A gate that needs an action comes before one that ends without one. A task never
 * starts while its pool is not registered.
 */
const WEIGHTIEST_FIRST = [
  'job',
  'upstream_job',
  'upstream_step',
  'paused_job',
  'start_after',
  'held_step',
  'canary',
  'paused_queue',
  'unregistered_pool',
  'workers',
  'retry_after',
  'farm_cap',
  'queue_cap',
  'owner_cap',
  'project_cap',
  'job_cap',
  'step_cap',
  'usage_pool',
  'outage',
  'scheduler',
  'quarantine',
  'cores',
  'amounts',
  'order',
] as const satisfies readonly (GateName | 'unregistered_pool')[];

const rankOf = (gate: Gate): number =>
  WEIGHTIEST_FIRST.indexOf(
    gate.gate === 'usage_pool' && !gate.isRegistered ? 'unregistered_pool' : gate.gate,
  );

/** Waiting for free cores and amounts, or behind other tasks, is not an obstacle but normal queueing. */
const QUEUEING: ReadonlySet<GateName> = new Set<GateName>(['cores', 'amounts', 'order']);
/** While other workers may run the task, quarantines only make it wait longer. */
const isObstacle = (gate: Gate, { lease }: TaskFacts): boolean =>
  !QUEUEING.has(gate.gate) && (gate.gate !== 'quarantine' || lease === null || lease.workers.eligible === 0);

/** Returns the sentence of a pending or ready task: the most important gate, then the others. */
export function waitingSummary(facts: TaskFacts, gates: readonly Gate[]): string {
  const obstacles = gates.filter((gate) => isObstacle(gate, facts)).toSorted((a, b) => rankOf(a) - rankOf(b));
  const [first] = obstacles;
  if (first === undefined) return unobstructed(facts);
  const group = obstacles.filter((gate) => gate.gate === first.gate && isUpstream(first));
  const rest = obstacles.filter((gate) => gate !== first && !group.includes(gate));
  const lead = group.length > 1 ? groupText(first.gate, group) : withoutStop(first.sentence);
  const asides = [...new Set(rest.map((gate) => asideOf(gate, facts)))];
  const beside = asides.length === 0 ? '' : `; besides, ${joinAtMost(asides, NAMED_MAX)}`;
  return sentenceOf(`${lead}${beside}`);
}

const isUpstream = (gate: Gate): boolean => gate.gate === 'upstream_job' || gate.gate === 'upstream_step';

const withoutStop = (sentence: string): string => sentence.replace(/\.$/, '');

/** `Waits for 3 steps: Simulate (running, 37 tasks left), Mesh (…) and 1 more`. */
function groupText(name: GateName, group: readonly Gate[]): string {
  const items = group.flatMap((gate) => {
    if (gate.gate === 'upstream_job')
      return gate.job === null
        ? HIDDEN_JOB
        : `${gate.job.name} (${gate.status ?? 'deleted'}${leftText(gate.progress?.left ?? 0)})`;
    return gate.gate === 'upstream_step'
      ? `${gate.step.name} (${gate.status}${leftText(gate.progress.left)})`
      : [];
  });
  const what = name === 'upstream_job' ? 'job' : 'step';
  return `waits for ${pluralize(group.length, what)}: ${joinAtMost(items, NAMED_MAX)}`;
}

const leftText = (left: number): string => (left === 0 ? '' : `, ${pluralize(left, 'task')} left`);

/** Returns the gate as one clause of a list. */
function asideOf(gate: Gate, { task, now }: TaskFacts): string {
  switch (gate.gate) {
    case 'job':
      return `its job is ${gate.status}`;
    case 'upstream_job':
      return `it waits for ${gate.job === null ? HIDDEN_JOB : `job ${gate.job.name}`}`;
    case 'upstream_step':
      return `it waits for step ${gate.step.name}`;
    case 'paused_job':
      return gate.parkReason === null ? 'its job is paused' : `its job was parked (${gate.parkReason})`;
    case 'start_after':
      return `its job starts after ${clockText(gate.until, now)}`;
    case 'held_step':
      return `step ${gate.step.name} is held`;
    case 'canary':
      return 'the canary tasks of its step are tried first';
    case 'paused_queue':
      return `queue ${gate.queue.name} is paused`;
    case 'retry_after':
      return 'it is held back after a failure';
    case 'farm_cap':
      return 'its farm is at its cap';
    case 'queue_cap':
      return `queue ${gate.queue.name} is at its cap`;
    case 'owner_cap':
      return 'its owner is at a cap';
    case 'project_cap':
      return 'its project is at a cap';
    case 'job_cap':
      return 'its job is at its cap';
    case 'step_cap':
      return `step ${gate.step.name} is at its cap`;
    case 'usage_pool':
      return gate.isRegistered
        ? `usage pool ${gate.pool} is ${gate.hold === undefined ? 'at capacity' : 'held back'}`
        : `usage pool ${gate.pool} is not registered`;
    case 'workers': {
      if (gate.online === 0) return 'no worker of its farm is online';
      return task.status === 'ready' ? 'no worker can run it' : 'no worker online could run it';
    }
    case 'scheduler':
      return 'its state in the scheduler is unknown at the moment';
    case 'outage':
      return `it waits for the end of an outage (${gate.outages.map(placeText).join(', ')})`;
    case 'quarantine':
      return `${pluralize(gate.doubted.length, 'worker')} that could run it ${gate.doubted.length === 1 ? 'is' : 'are'} in quarantine`;
    case 'cores':
      return 'no eligible worker has the cores free';
    case 'amounts':
      return `no eligible worker has ${joinAtMost(
        gate.short.map(({ name }) => name),
        NAMED_MAX,
      )} free`;
    case 'order':
      return 'other tasks are ahead of it';
  }
}

/** Returns the sentence of a task that waits only for its turn and for a worker with free cores. */
function unobstructed(facts: TaskFacts): string {
  const { task, lease, requirements, names } = facts;
  if (task.status === 'pending' || lease === null) {
    return 'Pending. Nothing holds the task any longer: it becomes ready in a moment.';
  }
  const parts = [`${turnText(lease)}: ${roomText(lease)}`];
  if (requirements.cores === null && lease.workers.withRoom === 0) parts.push('it reserves a whole machine');
  const [amounts] = amountsGates(lease);
  if (amounts !== undefined) parts.push(shortText(amounts.short));
  if (lease.share !== undefined && isBehind(lease.before)) parts.push(shareText(lease.share, names));
  if (lease.reservedWorker !== null)
    parts.push(`${names.worker(lease.reservedWorker)} is kept free for its step`);
  parts.push(...preemptionTexts(facts, lease));
  if (lease.workers.avoided.length > 0) {
    const failed = joinAtMost(
      lease.workers.avoided.map((id) => names.worker(id)),
      NAMED_MAX,
    );
    parts.push(
      `${failed}, where it has failed, ${lease.workers.avoided.length === 1 ? 'is' : 'are'} skipped`,
    );
  }
  const [quarantine] = quarantineGates({ names }, lease);
  if (quarantine !== undefined) parts.push(lowerFirst(withoutStop(quarantine.sentence)));
  return sentenceOf(parts.join('; '));
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** Returns what preemption has done to the task, and will do for it. */
function preemptionTexts(
  { attempt, job, names, now }: TaskFacts,
  { preemption, workers }: LeaseExplanation,
): readonly string[] {
  const texts: string[] = [];
  if (attempt?.preemption !== undefined)
    texts.push(
      `its last attempt, on ${names.worker(attempt.workerId)}, was ${preemptionReason(attempt.preemption)}`,
    );
  if (preemption === undefined || workers.withRoom > 0 || workers.eligible === 0) return texts;
  const { afterMs, waitsSince, isUnderway, version } = preemption;
  const by = `(preemption setting ${version})`;
  const queue = names.queue(job.queueId);
  const left = (waitsSince ?? now) + afterMs - now;
  if (isUnderway) texts.push(`queue ${queue} has taken back running tasks there ${by}`);
  else if (left > 0)
    texts.push(`queue ${queue} takes back running tasks for its step in ${durationText(left)} ${by}`);
  else
    texts.push(
      `queue ${queue} may take back running tasks for its step ${by}, but none that would make room`,
    );
  return texts;
}

const turnText = ({ before }: LeaseExplanation): string =>
  isBehind(before) ? `ready, behind ${beforeText(before)}` : 'ready, and next in line';

function roomText({ workers }: LeaseExplanation): string {
  const { eligible, withRoom } = workers;
  if (withRoom === 0) return busyText(workers);
  if (eligible === 1) return 'the only eligible worker has room';
  const has = withRoom === 1 ? 'has' : 'have';
  return `${numberText(withRoom)} of ${numberText(eligible)} eligible workers ${has} room`;
}
