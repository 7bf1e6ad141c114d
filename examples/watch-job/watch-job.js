/**
 * Submits a template and prints the status changes of its tasks until the job has ended.
 *
 *   SVC_URL=http://127.0.0.1:8080 node examples/watch-job/watch-job.js template.yaml my-farm my-queue
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { EventChannel, eventsUrl, ProblemError, Rest, tasksOf, waitForJob } from 'callsheet/api';

const [file = '', farmName, queueName] = process.argv.slice(2);
const rest = new Rest({ base: process.env.SVC_URL ?? 'http://127.0.0.1:8080' });

try {
  const job = await submit();
  const events = new EventChannel({ url: eventsUrl(rest.base) });
  events.onState((state) => {
    if (state.kind === 'waiting') console.error(`no connection (${state.reason}), waiting`);
  });
  events.subscribe(tasksOf(job.id), {
    events: (list) => {
      for (const { payload } of list) console.log(`${payload.name}: ${payload.status}`);
    },
    gap: () => console.error('some events were missed'),
  });
  const { status, task_counts: counts } = await waitForJob(rest, events, job.id);
  events.close();
  console.log(`${job.name}: ${status}, ${counts.succeeded} of ${counts.total} tasks have succeeded`);
  process.exitCode = status === 'completed' ? 0 : 1;
} catch (error) {
  if (!(error instanceof ProblemError)) throw error;
  console.error(error.message);
  for (const { pointer, detail, line, column } of error.errors)
    console.error(`${file}:${line}:${column}: ${pointer}: ${detail}`);
  process.exitCode = 2;
}

/** A submission whose answer is lost may be repeated with the same key. */
async function submit() {
  const farms = await rest.call('get', '/farms');
  const farm = farms.find(({ name }) => name === farmName);
  const queues = await rest.call('get', '/queues', { query: { limit: 1000 } });
  const queue = queues.items.find(({ name, farm_id: of }) => name === queueName && of === farm?.id);
  if (farm === undefined || queue === undefined) throw new Error(`no queue ${queueName} of ${farmName}`);
  const type = file.endsWith('.json') ? 'application/json' : 'application/x-yaml';
  return rest.call('post', '/jobs', {
    query: { farm_id: farm.id, queue_id: queue.id },
    headers: { 'Idempotency-Key': randomUUID() },
    document: { type, text: readFileSync(file, 'utf8') },
  });
}
