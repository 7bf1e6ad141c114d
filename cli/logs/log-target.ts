import type { Task } from '../../client/resources.ts';
import { parseTaskId } from '../../src/core/ids.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { allPages, findJob, findTask, noStep } from '../client/lookup.ts';
import type { RestClient } from '../client/rest-client.ts';

/** A task whose log is printed, and its title above the log. */
export interface LogTask {
  readonly id: string;
  readonly title: string;
}

const INDEXED = /^.+\/[^/]+\/[0-9]{1,10}$/s;
/** Job and step. Names of jobs may contain slashes. */
const STEP = /^(?<job>.+)\/(?<step>[^/]+)$/s;

/**
 * Returns the tasks of `JOB`, `JOB/STEP`, `JOB/STEP/INDEX` or of the id of a task, in their order. `isFailed`: only failed
 * tasks of a job or a step.
 *
 * @throws CommandError if the job, the step or the task does not exist.
 */
export async function logTasks(
  client: RestClient,
  given: string,
  isFailed: boolean,
): Promise<readonly LogTask[]> {
  if (parseTaskId(given) !== null) return [{ id: given, title: given }];
  if (INDEXED.test(given)) return [{ id: await findTask(client, given), title: given }];
  const { job, step } = STEP.exec(given)?.groups ?? {};
  const ofStep = job === undefined ? null : await jobIdOrNull(client, job);
  const id = ofStep ?? (await jobIdOrNull(client, given));
  // The server answers for an id that is not one of its own.
  if (id === null) return [{ id: given, title: given }];
  if (ofStep !== null && step !== undefined) await assertStep(client, ofStep, step);
  const filter = {
    step: ofStep === null ? undefined : step,
    status: isFailed ? ('failed' as const) : undefined,
  };
  const tasks = await allPages<Task>((paging) =>
    client.call('get', '/jobs/{id}/tasks', {
      path: { id },
      query: { ...filter, sort_by: 'created_at', ...paging },
    }),
  );
  return tasks.map((task) => ({ id: task.id, title: `${task.name} (${task.status})` }));
}

/** Throws a CommandError that names the steps of the job if it has no such step. */
async function assertStep(client: RestClient, id: string, step: string): Promise<void> {
  const { steps } = await client.call('get', '/jobs/{id}', { path: { id } });
  if (!steps.some((each) => each.name === step || each.id === step)) throw noStep(step, steps);
}

/** Returns the id of a job; null if there is none of this name. */
async function jobIdOrNull(client: RestClient, given: string): Promise<string | null> {
  try {
    return await findJob(client, given);
  } catch (error) {
    if (error instanceof CommandError && error.exitCode === EXIT.notFound) return null;
    throw error;
  }
}
