import { explainTask as explanationOf } from '../../src/core/explain/explain-task.ts';
import type { Names } from '../../src/core/explain/task-facts.ts';
import { chunksSentence } from '../../src/core/lifecycle/chunk-sizes.ts';
import { stepIdOf, taskIdOf } from '../../src/core/ids.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { keys } from '../../src/core/records/tables.ts';
import { timestampOf } from '../../src/core/timestamp.ts';
import { attemptView } from '../views/attempt-view.ts';
import { gateView, shareView, workersOutlookView } from '../views/explanation-view.ts';
import type { Schemas } from '../views/schemas.ts';
import { TaskViewer } from '../views/task-viewer.ts';
import { VisibleJobs } from '../views/visible-jobs.ts';
import { querySchedulers, NO_SCHEDULER_ANSWER } from './query-schedulers.ts';
import { findTask, type FoundTask } from './find-task.ts';
import type { Handler } from './operation.ts';
import { FactsReader, isWaitingTask, requirementsOf, stateOf } from './task-facts.ts';

/** Maximum number of failed workers that are read, and that are listed. */
const FAILURES_MAX = 1000;
const FAILURES_LISTED_MAX = 20;

/**
 * Reads the store, and queries the schedulers if the task waits. The cost does not grow with the number of tasks,
 * jobs or workers.
 */
export const explainTask: Handler<'explainTask'> = async ({ path, principal: { ownerScope } }, ports) => {
  const { store } = ports;
  const first = findTask(store, path.id, ownerScope);
  if (!first.ok) return { kind: 'problem', problem: first.problem };
  const before = first.value;
  const { status } = stateOf(store, before);
  const asked = isWaitingTask(status)
    ? await querySchedulers(ports, before, requirementsOf(store, before))
    : NO_SCHEDULER_ANSWER;
  // The task may have changed meanwhile, so the explanation uses only the latest state of the store.
  const found = findTask(store, path.id, ownerScope);
  if (!found.ok) return { kind: 'problem', problem: found.problem };
  const task = found.value;
  const facts = new FactsReader(ports, ownerScope).of(task, requirementsOf(store, task), asked);
  const { summary, gates, position, share, workers } = explanationOf(facts);
  const { jobId, stepOrder, index } = task.address;
  return {
    kind: 'json',
    status: 200,
    body: {
      task_id: taskIdOf(task.address),
      job_id: jobId,
      step_id: stepIdOf(jobId, stepOrder),
      name: new TaskViewer(store, task.job).view(task.step, index).name,
      status: facts.task.status,
      at: timestampOf(facts.now),
      summary,
      gates: gates.map((gate) => gateView(gate, facts.now)),
      ...(position !== null && { position }),
      ...(share !== undefined && { share: shareView(share) }),
      ...(workers !== null && { workers: workersOutlookView(workers) }),
      ...(facts.attempt !== null && {
        attempt: attemptView(facts.attempt, new VisibleJobs(store, ownerScope)),
      }),
      failures: failuresOf(store, task, facts.names),
      ...(isWaitingTask(facts.task.status) &&
        task.step.chunks !== undefined && { chunks: chunksSentence(task.step.chunks) }),
    },
  };
};

/** Returns the failures of the task's step by worker, most first. */
function failuresOf(store: StoreReader, { address }: FoundTask, names: Names): Schemas['WorkerFailures'][] {
  const prefix = keys.stepFailuresOf(address.jobId, address.stepOrder);
  return [...store.scan('stepFailures', { prefix, limit: FAILURES_MAX })]
    .map((row) => row.value)
    .sort((a, b) => b.failures - a.failures || b.lastAt - a.lastAt)
    .slice(0, FAILURES_LISTED_MAX)
    .map(({ workerId, failures, lastAt }) => ({
      worker_id: workerId,
      worker: names.worker(workerId),
      failures,
      last_at: timestampOf(lastAt),
    }));
}
