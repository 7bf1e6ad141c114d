import type { IndexRun, RetrySelection, RetryTarget } from '../../actors/service/job/messages.ts';
import { workerId, type FarmId } from '../../src/core/ids.ts';
import { lastOf } from '../../src/openjd/primitives/integer-set.ts';
import { parseRange } from '../../src/openjd/primitives/range-expression.ts';
import { tasksWithValues } from '../../src/openjd/template/space/tasks-with-values.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { done, type Outcome } from '../../src/core/problems.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { keys, lastNumberOfKey } from '../../src/core/records/tables.ts';
import { pointedProblem } from '../problems.ts';
import { shapesOf } from '../views/job-spaces.ts';
import type { Schemas } from '../views/schemas.ts';
import { findStep, stepsOf } from './find-task.ts';

const RANGE_PARTS_MAX = 1000;

/**
 * Converts the selection of a retry or a skip; without one, the whole job. Returns 400 for items that the job or its
 * farm does not have.
 */
export function retryTargetOf(
  store: StoreReader,
  job: JobRecord,
  selected: Schemas['JobRetrySelection'] & Pick<Schemas['JobSkipSelection'], 'failed'>,
): Outcome<RetryTarget> {
  const { step: stepText, range, index_range: indexRange, worker_id: worker } = selected;
  const isFailed = selected.failed === true;
  const isSkipped = selected.skipped === true;
  const given = [stepText, range, indexRange, worker, isFailed || undefined, isSkipped || undefined];
  if (given.every((each) => each === undefined)) return done('job');
  if (range !== undefined && indexRange !== undefined)
    return wrong('/index_range', 'cannot be combined with range');
  const steps = stepsOf(store, job.id);
  const only = steps.length === 1 ? (steps[0] ?? null) : null;
  const step = stepText === undefined ? only : findStep(steps, stepText);
  if (stepText !== undefined && step === null) return wrong('/step', 'the job has no such step');
  const hasRange = range !== undefined || indexRange !== undefined;
  if (hasRange && step === null) return wrong('/step', 'is required: the job has several steps');
  const indices = step === null || !hasRange ? null : indicesOf(store, job, step, { range, indexRange });
  if (indices?.ok === false) return indices;
  const ordinal = worker === undefined ? null : ordinalOf(store, job.farmId, worker);
  if (worker !== undefined && ordinal === null) return wrong('/worker_id', 'the farm has no such worker');
  const selection: RetrySelection = {
    ...((stepText !== undefined || indices !== null) && step !== null && { stepOrder: step.order }),
    ...(indices !== null && { indices: indices.value, chunkChanges: step?.chunks?.changes ?? 0 }),
    ...(ordinal !== null && { workerOrdinal: ordinal }),
    ...(isFailed && { isFailed }),
    ...(isSkipped && { isSkipped }),
  };
  return done({ selection });
}

/** Returns the indices of the tasks that are selected by values or by positions. */
function indicesOf(
  store: StoreReader,
  job: JobRecord,
  step: StepRecord,
  { range, indexRange }: { readonly range: string | undefined; readonly indexRange: string | undefined },
): Outcome<readonly IndexRun[]> {
  if (range === undefined) return positionsOf(indexRange ?? '', step);
  const shape = shapesOf(store, job.id)(step);
  if (shape === undefined) throw new Error(`the job ${job.id} has no plan of its step ${step.order}`);
  const tasks = tasksWithValues(shape, range);
  return tasks.ok ? done(tasks.runs) : wrong('/range', tasks.detail);
}

function positionsOf(text: string, { taskCount }: StepRecord): Outcome<readonly IndexRun[]> {
  const range = parseRange(text, RANGE_PARTS_MAX);
  if (!range.ok) return wrong('/index_range', range.detail);
  const [first] = range.runs;
  const last = range.runs.reduce((most, run) => (lastOf(run) > most ? lastOf(run) : most), 0n);
  if ((first?.start ?? 0n) < 0n || last >= BigInt(taskCount)) {
    return wrong('/index_range', `the tasks of the step are 0 to ${taskCount - 1}`);
  }
  return done(
    range.runs.map(({ start, step, count }) => ({
      start: Number(start),
      step: Number(step),
      count: Number(count),
    })),
  );
}

/**
 * Returns the ordinal of a worker in a farm, which outlives the worker; null if the farm never had it. A worker that
 * has moved has one ordinal per farm.
 */
export function ordinalOf(store: StoreReader, farm: FarmId, id: string): number | null {
  const worker = store.get('worker', keys.worker(workerId(id)));
  if (worker?.farmId === farm) return worker.ordinal;
  for (const { key, value } of store.scan('workerOrdinal', { prefix: keys.workerOrdinalsOf(farm) })) {
    if (value.workerId === id) return lastNumberOfKey(key);
  }
  return null;
}

const wrong = (pointer: string, detail: string): Outcome<never> => ({
  ok: false,
  problem: pointedProblem('bad-request', [{ pointer, detail }]),
});
