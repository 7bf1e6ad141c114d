import type { ReplyTo } from '../../actors/kernel/address.ts';
import type { LeaseMessage, StepInQuestion } from '../../actors/service/lease/messages.ts';
import { isPoolFull } from '../../src/core/explain/capacity-gates.ts';
import type { FarmHolder } from '../../src/core/explain/task-facts.ts';
import type { FarmId, JobId, QueueId } from '../../src/core/ids.ts';
import type {
  DemandExplanation,
  Holder,
  LeaseExplanation,
  PoolUse,
  StepExplanation,
  WaitingExplanation,
} from '../../src/core/lease/explanation.ts';
import type { StepRequirements } from '../../src/openjd/template/plan.ts';
import { refused, type Outcome } from '../../src/core/problems.ts';
import type { Ports } from '../ports.ts';
import type { FoundTask } from './find-task.ts';

/** Timeout of a scheduler's reply. */
const ANSWER_MS = 2000;
/** The same for lists, which are shown without the reply then. */
const LIST_ANSWER_MS = 500;
/** Maximum number of farms that are asked for holders of a pool. */
const FARMS_MAX = 64;

/** Replies of the schedulers about a task. */
export interface SchedulerAnswer {
  /** Null if the scheduler of the task's farm does not answer. */
  readonly lease: LeaseExplanation | null;
  /** Holders of slots in other farms, by full pool. */
  readonly elsewhere: ReadonlyMap<string, readonly FarmHolder[]>;
}

export const NO_SCHEDULER_ANSWER: SchedulerAnswer = { lease: null, elsewhere: new Map() };

/** Queries the lease actor of the task's farm, then those of other farms for holders of full pools. */
export async function querySchedulers(
  ports: Ports,
  { job, address }: FoundTask,
  requirements: StepRequirements,
): Promise<SchedulerAnswer> {
  const lease = await answerOf<LeaseExplanation>(ports, job.farmId, (replyTo) => ({
    type: 'task.explain',
    ...address,
    queueId: job.queueId,
    requirements,
    replyTo,
  }));
  if (lease === null) return NO_SCHEDULER_ANSWER;
  return { lease, elsewhere: await holdersElsewhereOf(ports, job.farmId, [lease]) };
}

/** Replies of the schedulers about waiting tasks of several steps. */
export interface StepAnswers {
  /** Without the steps that the scheduler did not explain; null if it does not answer. */
  readonly steps: readonly StepExplanation[] | null;
  readonly elsewhere: SchedulerAnswer['elsewhere'];
}

/** Queries the lease actor of a farm about steps, then those of other farms for holders of full pools. */
export async function querySteps(
  ports: Ports,
  farm: FarmId,
  steps: readonly StepInQuestion[],
): Promise<StepAnswers> {
  const explained = await answerOf<readonly StepExplanation[]>(
    ports,
    farm,
    (replyTo) => ({ type: 'steps.explain', steps, replyTo }),
    LIST_ANSWER_MS,
  );
  const leases = (explained ?? []).map(({ lease }) => lease);
  return { steps: explained, elsewhere: await holdersElsewhereOf(ports, farm, leases) };
}

/** Returns the holders in other farms of the full pools of which the farm does not hold all slots. */
async function holdersElsewhereOf(
  ports: Ports,
  farm: FarmId,
  leases: readonly LeaseExplanation[],
): Promise<SchedulerAnswer['elsewhere']> {
  const full = leases
    .flatMap(({ pools }) => pools)
    .filter((pool) => {
      const own = pool.holders.reduce((sum, { live }) => sum + live, 0);
      return isPoolFull(pool) && own < pool.inUse;
    });
  const names = [...new Set(full.map(({ name }) => name))];
  return new Map(
    await Promise.all(names.map(async (name) => [name, await holdersElsewhere(ports, farm, name)] as const)),
  );
}

async function holdersElsewhere(ports: Ports, own: FarmId, pool: string): Promise<FarmHolder[]> {
  const farms = [...ports.store.scan('farm', { limit: FARMS_MAX })].map((row) => row.value.id);
  const answers = await Promise.all(
    farms
      .filter((farmId) => farmId !== own)
      .map(async (farmId) => {
        const holders = await answerOf<readonly Holder[]>(ports, farmId, (replyTo) => ({
          type: 'pool.explain',
          pool,
          replyTo,
        }));
        return (holders ?? []).map((holder) => ({ ...holder, farmId }));
      }),
  );
  return answers.flat();
}

/**
 * Returns which workers can run tasks of a queue with each of these requirements; null if the scheduler does not
 * answer.
 */
export const askForWorkers = (
  ports: Ports,
  farm: FarmId,
  queueId: QueueId,
  requirements: readonly StepRequirements[],
): Promise<readonly DemandExplanation[] | null> =>
  answerOf<readonly DemandExplanation[]>(ports, farm, (replyTo) => ({
    type: 'demands.explain',
    queueId,
    requirements,
    replyTo,
  }));

/** Returns the waiting tasks of a farm, or of some of its jobs, by reason; null if the scheduler does not answer. */
export const askWhatWaits = (
  ports: Ports,
  farm: FarmId,
  jobIds: readonly JobId[] | null,
): Promise<WaitingExplanation | null> =>
  answerOf<WaitingExplanation>(ports, farm, (replyTo) => ({ type: 'farm.explain', jobIds, replyTo }));

/** The use of a usage pool in one farm; null if its scheduler does not answer. */
export interface FarmPoolUse {
  readonly farmId: FarmId;
  readonly use: PoolUse | null;
}

/** Returns what holds and what waits for slots of a usage pool, by farm. `pool`: its name in lower case. */
export const askPoolUse = (ports: Ports, pool: string): Promise<readonly FarmPoolUse[]> =>
  Promise.all(
    [...ports.store.scan('farm', { limit: FARMS_MAX })].map(async ({ value: { id: farmId } }) => ({
      farmId,
      use: await answerOf<PoolUse>(ports, farmId, (replyTo) => ({ type: 'pool.use', pool, replyTo })),
    })),
  );

type Question = Extract<
  LeaseMessage,
  {
    type: 'task.explain' | 'steps.explain' | 'pool.explain' | 'pool.use' | 'demands.explain' | 'farm.explain';
  }
>;

/** Returns the reply of a farm's lease actor; null if it is an error or late. */
async function answerOf<Answer>(
  ports: Ports,
  farm: FarmId,
  question: (replyTo: ReplyTo<Outcome<Answer>>) => Question,
  timeoutMs = ANSWER_MS,
): Promise<Answer | null> {
  const waited = new AbortController();
  try {
    const outcome = await Promise.race([
      ports.actors
        .ask<Answer>((replyTo) => ({ actor: 'lease', id: farm, message: question(replyTo) }))
        .catch((error: unknown): Outcome<Answer> => refused('unavailable', String(error))),
      ports
        .delay(timeoutMs, waited.signal)
        .then((): Outcome<Answer> => refused('unavailable', `no answer within ${timeoutMs} ms`)),
    ]);
    if (outcome.ok) return outcome.value;
    const { detail } = outcome.problem;
    ports.log('warn', 'scheduler did not answer a query', { farm_id: farm, detail });
    return null;
  } finally {
    waited.abort();
  }
}
