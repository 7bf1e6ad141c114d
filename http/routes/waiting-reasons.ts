/**
 * An entry is known (`#known`), being determined (`#flights`) or neither. Invariants: `#known` is bounded and has the
 * oldest entries first; a key is in at most one flight. Exits: an entry is replaced when it is older than FRESH_MS or
 * its item has changed; a flight ends with the reply of the scheduler, or its timeout.
 */

import { raisesOf } from '../../src/core/retry-rules/raised-amounts.ts';
import type { StepInQuestion } from '../../actors/service/lease/messages.ts';
import type { OwnerScope } from '../../src/core/access/owner-scope.ts';
import { explainTask } from '../../src/core/explain/explain-task.ts';
import { decisiveStepOf, isWaitingJob, isWaitingStep } from '../../src/core/explain/waiting-work.ts';
import { stepIdOf, taskIdOf, type FarmId } from '../../src/core/ids.ts';
import { leaseOfTask, type StepExplanation } from '../../src/core/lease/explanation.ts';
import type { TaskStatus } from '../../src/core/lifecycle/task-transitions.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { StepRequirements } from '../../src/openjd/template/plan.ts';
import type { Ports } from '../ports.ts';
import { taskWindow } from '../views/task-window.ts';
import { readTaskAt, stepsOf } from './find-task.ts';
import { querySteps, type SchedulerAnswer } from './query-schedulers.ts';
import { FactsReader, isWaitingTask, requirementsOf } from './task-facts.ts';

/** Maximum age of a reason. Clients share it: pages poll every few seconds. */
const FRESH_MS = 1000;
const KNOWN_MAX = 20_000;
const REQUIREMENTS_MAX = 10_000;

/** Returns why an item waits; null if it does not wait, or if the reason is unknown. */
export interface ReasonLookup {
  readonly ofJob: (job: JobRecord) => string | null;
  readonly ofStep: (job: JobRecord, step: StepRecord) => string | null;
  readonly ofTask: (job: JobRecord, step: StepRecord, index: number, status: TaskStatus) => string | null;
}

interface Known {
  /** Changes with the item. */
  readonly stamp: string;
  /** By the steady clock. */
  readonly at: number;
  readonly reason: string | null;
}

/** A waiting item. `step` is null for a job; `index` is null for a job or step. */
interface Wanted {
  readonly key: string;
  readonly stamp: string;
  readonly job: JobRecord;
  readonly stepOrder: number | null;
  readonly index: number | null;
}

/** A wanted item with the task that stands for it; `index` is null if the scheduler chooses the task. */
interface Question extends Wanted {
  readonly step: StepRecord;
}

/**
 * Sentences of explain for the waiting items of lists. Queries the scheduler of a farm once for all items of a response,
 * and shares the sentences for a second.
 */
export class WaitingReasons {
  readonly #known = new Map<string, Known>();
  readonly #flights = new Map<string, Promise<void>>();
  /** Requirements never change. By id of the step. */
  readonly #requirements = new Map<string, StepRequirements>();

  /**
   * Returns the reply of `make` for a reader with a scope: the sentences name only jobs in it. If it needs reasons that are not known, `make` is called a second time when they are.
   * The reply must not be kept if it looked up any reason: reasons change without a commit.
   */
  reply<Reply extends object>(
    ports: Ports,
    scope: OwnerScope,
    make: (reasons: ReasonLookup) => Reply,
  ): Reply | Promise<Reply> | (Reply & { readonly isTransient: true }) {
    const first = new Lookup(ports, this.#known, scope, true);
    const reply = make(first);
    if (first.wanted.length === 0) return first.isUsed ? { ...reply, isTransient: true } : reply;
    return this.#determine(ports, scope, first.wanted).then(() => {
      ports.commits.renew();
      return make(new Lookup(ports, this.#known, scope, false));
    });
  }

  async #determine(ports: Ports, scope: OwnerScope, wanted: readonly Wanted[]): Promise<void> {
    const flights = new Set<Promise<void>>();
    const byFarm = new Map<FarmId, Wanted[]>();
    for (const each of wanted) {
      const flight = this.#flights.get(each.key);
      if (flight !== undefined) flights.add(flight);
      else pushTo(byFarm, each.job.farmId, each);
    }
    for (const [farm, ofFarm] of byFarm) {
      const flight = this.#ask(ports, scope, farm, ofFarm).finally(() => {
        for (const { key } of ofFarm) this.#flights.delete(key);
      });
      for (const { key } of ofFarm) this.#flights.set(key, flight);
      flights.add(flight);
    }
    await Promise.all(flights);
  }

  async #ask(ports: Ports, scope: OwnerScope, farm: FarmId, wanted: readonly Wanted[]): Promise<void> {
    const questions = wanted.flatMap((each): Question[] => {
      const steps = stepsOf(ports.store, each.job.id);
      const step = each.stepOrder === null ? decisiveStepOf(steps) : steps[each.stepOrder];
      return step === undefined || step === null ? [] : [{ ...each, step }];
    });
    const asked = this.#inQuestion(ports, questions);
    const { steps, elsewhere } = await querySteps(ports, farm, asked);
    ports.commits.renew();
    const explained = new Map(
      steps?.flatMap((step, at) => {
        const question = asked[at];
        return question === undefined ? [] : [[keyOf(question), step] as const];
      }),
    );
    const facts = new FactsReader(ports, scope);
    const at = ports.steadyNow();
    const reasons = new Map<string, string | null>();
    for (const question of questions) {
      const step = steps === null ? null : explained.get(keyOf(inQuestion(question)));
      // Without an explanation of the step, the farm recovers after a start: the reason is unknown.
      if (step === undefined) continue;
      reasons.set(question.key, this.#reasonOf(ports, question, step, elsewhere, facts));
    }
    for (const { key, stamp } of wanted) this.#keep(key, { stamp, at, reason: reasons.get(key) ?? null });
  }

  /** Returns each step once for all its tasks, and once if the scheduler chooses the task. */
  #inQuestion(ports: Ports, questions: readonly Question[]): readonly StepInQuestion[] {
    const steps = new Map<string, StepInQuestion & { readonly indices: number[] | null }>();
    for (const question of questions) {
      const { job, step, index } = question;
      const key = keyOf(inQuestion(question));
      const known = steps.get(key);
      if (known !== undefined) {
        if (index !== null) known.indices?.push(index);
        continue;
      }
      steps.set(key, {
        jobId: job.id,
        stepOrder: step.order,
        indices: index === null ? null : [index],
        queueId: job.queueId,
        requirements: this.#requirementsOf(ports, job, step),
      });
    }
    return [...steps.values()];
  }

  /** Explains the task that stands for an item. Null if it does not wait any longer. */
  #reasonOf(
    ports: Ports,
    { job, step, index }: Question,
    explained: StepExplanation | null,
    elsewhere: SchedulerAnswer['elsewhere'],
    facts: FactsReader,
  ): string | null {
    const standing =
      index === null ? explained?.tasks[0] : explained?.tasks.find((task) => task.index === index);
    const chosen = index ?? standing?.index ?? firstWaiting(ports, step);
    if (chosen === null) return null;
    const found = readTaskAt(ports.store, { jobId: job.id, stepOrder: step.order, index: chosen });
    if (found === null) return null;
    const lease =
      explained === null ? null : standing === undefined ? explained.lease : leaseOfTask(explained, standing);
    const known = facts.of(found, this.#requirementsOf(ports, found.job, found.step), { lease, elsewhere });
    return isWaitingTask(known.task.status) ? explainTask(known).summary : null;
  }

  #requirementsOf(ports: Ports, job: JobRecord, step: StepRecord): StepRequirements {
    // An amount that a retry rule has raised changes the requirements.
    const id = `${stepIdOf(job.id, step.order)} ${raisesOf(step.raised ?? [])}`;
    const known = this.#requirements.get(id) ?? requirementsOf(ports.store, { job, step });
    if (this.#requirements.size >= REQUIREMENTS_MAX) this.#requirements.clear();
    this.#requirements.set(id, known);
    return known;
  }

  #keep(key: string, known: Known): void {
    this.#known.delete(key);
    this.#known.set(key, known);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= KNOWN_MAX) break;
      this.#known.delete(oldest);
    }
  }
}

/** Finds reasons among the known ones, and collects those that are missing. */
class Lookup implements ReasonLookup {
  readonly wanted: Wanted[] = [];
  /** Set when any item waits. */
  isUsed = false;
  readonly #ports: Ports;
  readonly #known: ReadonlyMap<string, Known>;
  /** False for the second call, which takes what the first one has caused, also if the item has changed since. */
  readonly #isStrict: boolean;
  readonly #now: number;
  /** Before the keys: readers with different scopes get different sentences. */
  readonly #prefix: string;
  readonly #queues = new Map<string, string>();

  constructor(ports: Ports, known: ReadonlyMap<string, Known>, scope: OwnerScope, isStrict: boolean) {
    this.#ports = ports;
    this.#known = known;
    this.#isStrict = isStrict;
    this.#prefix = scope === null ? '' : `${scope}\n`;
    this.#now = ports.steadyNow();
  }

  readonly ofJob = (job: JobRecord): string | null =>
    isWaitingJob(job) ? this.#find(job.id, job, null, null, String(job.updatedAt)) : null;

  readonly ofStep = (job: JobRecord, step: StepRecord): string | null =>
    isWaitingStep(step)
      ? this.#find(stepIdOf(job.id, step.order), job, step.order, null, String(step.updatedAt))
      : null;

  readonly ofTask = (job: JobRecord, step: StepRecord, index: number, status: TaskStatus): string | null =>
    isWaitingTask(status)
      ? this.#find(
          taskIdOf({ jobId: job.id, stepOrder: step.order, index }),
          job,
          step.order,
          index,
          `${status} ${step.status}`,
        )
      : null;

  #find(
    item: string,
    job: JobRecord,
    stepOrder: number | null,
    index: number | null,
    state: string,
  ): string | null {
    this.isUsed = true;
    const key = `${this.#prefix}${item}`;
    const stamp = `${state} ${job.status} ${job.priority} ${job.startAfter ?? 0} ${job.queueId} ${this.#queueOf(job)}`;
    const known = this.#known.get(key);
    if (known !== undefined && (!this.#isStrict || known.stamp === stamp)) {
      if (!this.#isStrict || this.#now - known.at < FRESH_MS) return known.reason;
    }
    this.wanted.push({ key, stamp, job, stepOrder, index });
    return null;
  }

  /** Changes with the settings of the job's queue. */
  #queueOf({ queueId }: JobRecord): string {
    const known = this.#queues.get(queueId);
    if (known !== undefined) return known;
    const stamp = String(this.#ports.store.get('queue', keys.queue(queueId))?.updatedAt ?? 0);
    this.#queues.set(queueId, stamp);
    return stamp;
  }
}

const inQuestion = ({ job, step, index }: Question): StepKeyParts => ({
  jobId: job.id,
  stepOrder: step.order,
  indices: index === null ? null : [index],
});

type StepKeyParts = Pick<StepInQuestion, 'jobId' | 'stepOrder' | 'indices'>;

/** Returns a key that is equal for the tasks of a step, and another one if the scheduler chooses the task. */
const keyOf = ({ jobId: id, stepOrder, indices }: StepKeyParts): string =>
  `${stepIdOf(id, stepOrder)}${indices === null ? '' : '-tasks'}`;

/** Returns the first ready or else pending task of a step, for a step that the scheduler does not offer. */
function firstWaiting(ports: Ports, { jobId: id, order, taskCount, taskCounts }: StepRecord): number | null {
  const status = taskCounts.ready > 0 ? 'ready' : 'pending';
  if (taskCounts[status] === 0) return null;
  if (taskCounts[status] === taskCount) return 0;
  const list = ports.taskLists.open(id);
  const step = list?.steps[order];
  if (list === null || step === undefined) return null;
  const query = { status, sort_by: 'created_at', sort_dir: 'asc', limit: 1, offset: 0 } as const;
  return taskWindow(list.tasksOf, [step], query).places[0]?.index ?? null;
}

function pushTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
