import type { JobDetail, Step, TaskStatus } from '../../client/resources.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { findJob, findTask, inJob } from './lookup.ts';
import type { RestClient } from './rest-client.ts';

/** The first status that any task has decides which task stands for a job or a step. */
const IN_QUESTION: readonly TaskStatus[] = [
  'ready',
  'failed',
  'pending',
  'assigned',
  'running',
  'canceled',
  'succeeded',
];

/**
 * Answers a question about a task: one as `findTask` takes it, or the one that stands for a job (`JOB`) or a step
 * (`JOB/STEP`). That is the first task that is ready, or else one that failed, waits, runs or has ended.
 *
 * @param ask - Requests the answer for the id of a task.
 */
export async function askAboutTask<Answer>(
  client: RestClient,
  given: string,
  ask: (taskId: string) => Promise<Answer>,
): Promise<Answer> {
  const place = inJob(given);
  if (place?.index !== undefined) return ask(await findTask(client, given));
  if (place !== null) return ask(await taskOf(client, place.job, place.step));
  try {
    return await ask(given);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return ask(await taskOf(client, given, null).catch((reason: unknown) => raise(reason, error)));
  }
}

/** Throws the error of the task if there is no such job either. */
function raise(reason: unknown, ofTask: unknown): never {
  throw isNotFound(reason) ? ofTask : reason;
}

const isNotFound = (error: unknown): boolean =>
  error instanceof CommandError && error.exitCode === EXIT.notFound;

async function taskOf(client: RestClient, given: string, stepName: string | null): Promise<string> {
  const job = await client.call('get', '/jobs/{id}', { path: { id: await findJob(client, given) } });
  const step = stepName === null ? null : job.steps.find(({ name }) => name === stepName);
  if (step === undefined)
    throw new CommandError(EXIT.notFound, `the job ${job.id} has no step ${JSON.stringify(stepName)}`);
  return firstInQuestion(client, job, step);
}

async function firstInQuestion(client: RestClient, job: JobDetail, step: Step | null): Promise<string> {
  const counts = (step ?? job).task_counts;
  for (const status of IN_QUESTION) {
    if (counts[status] === 0) continue;
    const query = { status, sort_by: 'created_at', limit: 1, step: step?.name } as const;
    const { items } = await client.call('get', '/jobs/{id}/tasks', { path: { id: job.id }, query });
    if (items[0] !== undefined) return items[0].id;
  }
  throw new CommandError(EXIT.notFound, `the job ${job.id} has no tasks`);
}
