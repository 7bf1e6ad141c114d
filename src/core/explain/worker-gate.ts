import { TIGHTER_EXPR_LIMITS, type Ineligibility } from '../lease/eligibility.ts';
import type { DemandExplanation, LeaseExplanation, RejectedWorkers } from '../lease/explanation.ts';
import { COMPUTE_LOCATION } from '../../openjd/template/capabilities.ts';
import type { AmountRequirement, AttributeRequirement } from '../../openjd/template/plan.ts';
import type { NearestMiss, WorkersGate, WorkersOutlook } from './task-explanation.ts';
import type { Names, TaskFacts } from './task-facts.ts';
import { pluralize, joinAtMost, listText, numberText, sentenceOf } from './wording.ts';

/** Configuration key of the limit that is compared. */
const EXPR_MEMORY_KEY = 'openjd.expr_memory_limit';

/** Maximum number of values in a sentence. */
const NAMED_MAX = 3;

/** The work that needs a worker: a task, or the tasks that a template would create. */
export interface WorkSought {
  readonly job: Pick<TaskFacts['job'], 'farmId' | 'queueId'>;
  readonly task: Pick<TaskFacts['task'], 'status'>;
  readonly requirements: TaskFacts['requirements'];
  readonly names: Names;
}

/** Returns the gate if no online worker may run the task. */
export function workersGates(
  facts: WorkSought,
  { workers }: { readonly workers: DemandExplanation },
): WorkersGate[] {
  if (workers.eligible > 0) return [];
  const { online, elsewhere, rejected } = workers;
  const nearestMiss = nearestMissOf(workers, facts);
  const reason =
    online > 0
      ? (nearestMiss?.reason ?? mostCommon(rejected)?.reason ?? 'no online workers')
      : elsewhere > 0
        ? 'farm mismatch'
        : 'no online workers';
  const sentence = sentenceOf(
    online > 0 ? unfitClause(facts, rejected, nearestMiss) : absentClause(facts, elsewhere),
  );
  return [{ gate: 'workers', reason, sentence, online, elsewhere, rejected, nearestMiss }];
}

const mostCommon = (rejected: readonly RejectedWorkers[]): RejectedWorkers | undefined =>
  rejected.toSorted((a, b) => b.workers - a.workers)[0];

function absentClause({ job, names }: WorkSought, elsewhere: number): string {
  if (elsewhere === 0) return 'no worker is online';
  const others = `${pluralize(elsewhere, 'worker')} of other farms ${elsewhere === 1 ? 'is, and does' : 'are, and do'}`;
  return `no worker of farm ${names.farm(job.farmId)} is online; ${others} not serve it`;
}

function unfitClause(
  facts: WorkSought,
  rejected: readonly RejectedWorkers[],
  nearestMiss: NearestMiss | null,
): string {
  const can = facts.task.status === 'ready' ? 'no worker can run it' : 'no worker online could run it';
  const sorted = rejected.toSorted((a, b) => b.workers - a.workers);
  const groups = sorted.map((group) => rejectedText(group, facts));
  const why = groups.length === 0 ? '' : `: ${listText(groups)}`;
  if (nearestMiss === null) return `${can}${why}`;
  return `${can}${why}; the nearest, ${nearestMiss.worker.name}, ${missText(nearestMiss, rejected.length > 1)}`;
}

/** `200 workers fail attr.worker.tag.gpu`. */
function rejectedText(group: RejectedWorkers, facts: WorkSought): string {
  const one = group.workers === 1;
  const who = pluralize(group.workers, 'worker');
  switch (group.reason) {
    case 'queue affinity':
      return `${who} ${one ? 'serves' : 'serve'} other queues`;
    case 'compute location mismatch':
      return `${who} ${one ? 'is' : 'are'} not at ${facts.requirements.computeLocation}`;
    case 'amount requirement not met':
    case 'attribute requirement not met':
      return `${who} ${one ? 'fails' : 'fail'} ${group.requirement}`;
    case TIGHTER_EXPR_LIMITS:
      return `${who} ${one ? 'has' : 'have'} tighter expression limits than the server`;
  }
}

/** `has a4000 where a5000 is wanted`. Names the requirement only if the sentence does not name it before. */
function missText(miss: NearestMiss, namesIt: boolean): string {
  const { requirement, wanted, offered } = miss;
  switch (miss.reason) {
    case 'queue affinity':
      return `serves ${offered ?? 'no queue'} where ${wanted} is wanted`;
    case 'compute location mismatch':
      return offered === null ? 'reports no compute location' : `is at ${offered}`;
    case 'amount requirement not met':
    case 'attribute requirement not met': {
      const name = namesIt ? `${requirement} ` : '';
      return offered === null
        ? `has no${namesIt ? ` ${requirement}` : 'ne'} where ${wanted} is wanted`
        : `has ${name}${offered} where ${wanted} is wanted`;
    }
    case TIGHTER_EXPR_LIMITS:
      return `grants an expression ${offered ?? 'nothing'} where the server grants ${wanted}`;
  }
}

function nearestMissOf({ nearestMiss }: DemandExplanation, facts: WorkSought): NearestMiss | null {
  if (nearestMiss === null) return null;
  const { workerId, ineligibility } = nearestMiss;
  const worker = { id: workerId, name: facts.names.worker(workerId) };
  return { worker, reason: ineligibility.reason, ...wantedAndOffered(ineligibility, facts) };
}

function wantedAndOffered(
  miss: Ineligibility,
  { job, names }: WorkSought,
): Pick<NearestMiss, 'requirement' | 'wanted' | 'offered'> {
  switch (miss.reason) {
    case 'queue affinity': {
      const served = miss.queueIds.slice(0, NAMED_MAX).map((id) => names.queue(id));
      const rest = miss.queueIds.length - served.length;
      const offered = listText(rest > 0 ? [...served, `${numberText(rest)} more`] : served);
      return {
        requirement: 'queue',
        wanted: names.queue(job.queueId),
        offered: served.length === 0 ? null : offered,
      };
    }
    case 'compute location mismatch':
      return { requirement: COMPUTE_LOCATION, wanted: miss.wanted, offered: miss.offered };
    case 'amount requirement not met':
      return {
        requirement: miss.requirement.name,
        wanted: amountText(miss.requirement),
        offered: numberText(miss.offered),
      };
    case 'attribute requirement not met':
      return {
        requirement: miss.requirement.name,
        wanted: attributeText(miss.requirement),
        offered: miss.offered,
      };
    case TIGHTER_EXPR_LIMITS:
      return {
        requirement: EXPR_MEMORY_KEY,
        wanted: pluralize(miss.shortfall.wanted, 'byte'),
        offered: pluralize(miss.shortfall.granted, 'byte'),
      };
  }
}

function amountText({ min, max }: AmountRequirement): string {
  if (min === undefined) return max === undefined ? 'any' : `at most ${numberText(max)}`;
  return max === undefined ? `at least ${numberText(min)}` : `${numberText(min)} to ${numberText(max)}`;
}

function attributeText({ anyOf, allOf }: AttributeRequirement): string {
  const any = anyOf === undefined ? '' : joinAtMost(anyOf, NAMED_MAX, 'or');
  const all = allOf === undefined ? '' : joinAtMost(allOf, NAMED_MAX, 'and');
  if (any === '' || any === all) return all === '' ? 'any value' : all;
  return all === '' ? any : `${any} and also ${all}`;
}

/** Returns the numbers of workers that may and may not run the task. */
export function workersOutlook({ workers, reservedWorker }: LeaseExplanation, names: Names): WorkersOutlook {
  const { online, elsewhere, eligible, withRoom, rejected, avoided } = workers;
  return {
    online,
    elsewhere,
    eligible,
    withRoom,
    rejected,
    reserved: reservedWorker === null ? null : { id: reservedWorker, name: names.worker(reservedWorker) },
    avoided: avoided.map((id) => ({ id, name: names.worker(id) })),
  };
}
