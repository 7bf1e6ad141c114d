import { test } from 'tap';
import type { StepInQuestion } from '../../../actors/service/lease/messages.ts';
import type { LeaseExplanation, StepExplanation } from '../../../src/core/lease/explanation.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { leaseExplanation } from '../../kit/explain-parts.ts';
import { startApi, type ApiFixture } from '../kit/api-fixture.ts';
import {
  FARM,
  farmRecord,
  FRAMES,
  jobChanges,
  jobNumber,
  QUEUE,
  queueRecord,
  taskIdAt,
  taskState,
  type StepSketch,
} from '../kit/records.ts';

const JOB = jobNumber(1);
const PATH = `/api/v1/jobs/${JOB}`;
const POOL = 'Usage pool nuke is not registered and has no slots: the task cannot start before it is.';

const step = (changes: Partial<StepSketch> = {}): StepSketch => ({
  name: 'Render',
  untouched: 'ready',
  taskCount: 3,
  space: FRAMES(3),
  touched: new Map(),
  ...changes,
});

const COMP = step({ name: 'Comp', untouched: 'pending' });

/** Stores a farm with a queue and a job of two steps, of which the second one depends on the first. */
function furnish(api: ApiFixture, job: Parameters<typeof jobChanges>[0] = {}): void {
  api.write(
    put('farm', keys.farm(FARM), farmRecord()),
    put('queue', keys.queue(QUEUE), queueRecord()),
    ...jobChanges(job, [step(), COMP]),
  );
}

/** Explains each step with the same facts; chosen tasks are the first ones. Ready tasks are in the order of indices. */
const explained =
  (lease: LeaseExplanation) =>
  (steps: readonly StepInQuestion[]): StepExplanation[] =>
    steps.map(({ jobId, stepOrder, indices }) => ({
      jobId,
      stepOrder,
      lease,
      tasks: (indices ?? (stepOrder === 0 ? [0] : [])).map((index) => ({
        index,
        heldUntil: null,
        avoided: [],
        readyBefore: index,
      })),
    }));

const MISSING_POOL = leaseExplanation({
  pools: [{ name: 'nuke', maxConcurrent: null, inUse: 0, holders: [] }],
});

void test('lists, the job and explain have the same sentence', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  api.explainSteps = (steps) => done(explained(MISSING_POOL)(steps));
  api.answer = () => done(MISSING_POOL);
  const { body: explanation } = await client.get(`/api/v1/tasks/${taskIdAt(0, 0)}/explain`);
  t.match(explanation, { summary: POOL });
  const upstream =
    'Waits for step Render: 3 of 3 tasks left, none running; besides, usage pool nuke is not registered.';
  t.match((await client.get('/api/v1/jobs')).body, { items: [{ waiting_reason: POOL }] });
  t.match((await client.get(PATH)).body, {
    waiting_reason: POOL,
    steps: [{ waiting_reason: POOL }, { waiting_reason: upstream }],
  });
  t.match((await client.get(`${PATH}/steps`)).body, {
    items: [{ waiting_reason: POOL }, { waiting_reason: upstream }],
  });
  t.match((await client.get(`${PATH}/tasks?limit=4`)).body, {
    items: [POOL, POOL, POOL, upstream].map((reason) => ({ waiting_reason: reason })),
  });
  t.match((await client.get(`/api/v1/tasks/${taskIdAt(0, 1)}`)).body, { waiting_reason: POOL });
  t.strictSame(
    api.stepsAsked.map((steps) => steps.map(({ stepOrder, indices }) => [stepOrder, indices])),
    [
      [[0, null]],
      [
        [0, null],
        [1, null],
      ],
      [
        [0, [0, 1, 2]],
        [1, [0]],
      ],
    ],
    'one question for each response, and none for what is known',
  );
});

void test('each task has its own place in the order', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  api.explainSteps = (steps) => done(explained(leaseExplanation())(steps));
  const busy = '14 of 14 eligible workers are busy.';
  t.match((await client.get(`${PATH}/tasks?limit=3`)).body, {
    items: [
      { waiting_reason: `Ready, and next in line: ${busy}` },
      { waiting_reason: `Ready, behind 1 task of its own job: ${busy}` },
      { waiting_reason: `Ready, behind 2 tasks of its own job: ${busy}` },
    ],
  });
});

void test('a reason is shared for a second, and asked for again when the job has changed', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  api.explainSteps = (steps) => done(explained(MISSING_POOL)(steps));
  const reasonOf = async (): Promise<unknown> =>
    ((await client.get(PATH)).body as { readonly waiting_reason?: string }).waiting_reason;
  t.equal(await reasonOf(), POOL);
  api.steadyNow += 999;
  t.equal(await reasonOf(), POOL);
  t.equal(api.stepsAsked.length, 1);
  api.steadyNow += 1;
  api.explainSteps = (steps) => done(explained(leaseExplanation())(steps));
  t.match(await reasonOf(), /^Ready, and next in line/, 'also without a commit');
  t.equal(api.stepsAsked.length, 2);
  furnish(api, { status: 'paused' });
  t.match(await reasonOf(), /^The job is paused/);
  t.equal(api.stepsAsked.length, 3);
});

void test('requests at the same time share one question', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  let answer: (() => void) | undefined;
  api.explainSteps = (steps) =>
    new Promise((resolve) => {
      answer = () => resolve(done(explained(MISSING_POOL)(steps)));
    });
  const first = client.get('/api/v1/jobs');
  await api.until(() => api.stepsAsked.length === 1);
  const second = client.get('/api/v1/jobs?limit=7');
  const alone = client.get('/api/v1/farms');
  t.equal((await alone).status, 200, 'the second request has been handled');
  answer?.();
  for (const each of [first, second]) t.match((await each).body, { items: [{ waiting_reason: POOL }] });
  t.equal(api.stepsAsked.length, 1);
});

void test('a scheduler that does not answer is the reason', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  api.explainSteps = () => refused('unavailable', 'stopped');
  t.match((await client.get('/api/v1/jobs')).body, {
    items: [
      {
        waiting_reason:
          'The scheduler does not answer: the workers that can run the task are unknown at the moment.',
      },
    ],
  });
  api.steadyNow += 1000;
  api.explainSteps = () => new Promise(() => undefined);
  const late = client.get('/api/v1/jobs');
  await api.until(() => api.delays.length === 1);
  t.equal(api.delays[0]?.milliseconds, 500);
  api.delays[0]?.end();
  t.match((await late).body, { items: [{ waiting_reason: /^The scheduler does not answer/ }] });
});

void test('only waiting items have a reason, and only they are asked about', async (t) => {
  const { api, client } = await startApi(t);
  const live = new Map([[0, taskState({ status: 'running', attemptNumber: 1 })]]);
  furnish(api);
  api.write(
    ...jobChanges({ status: 'running' }, [step({ touched: live }), COMP]),
    ...jobChanges({ id: jobNumber(2), status: 'failed' }, [step()]),
  );
  const { body } = await client.get('/api/v1/jobs');
  t.notMatch(JSON.stringify(body), 'waiting_reason');
  t.equal(api.stepsAsked.length, 0);
  api.explainSteps = () => done([]);
  t.notMatch(JSON.stringify((await client.get(`${PATH}/tasks`)).body), 'waiting_reason');
  t.equal(api.stepsAsked.length, 1, 'the farm recovers: the reason is unknown');
});

void test('a paused job is explained by a task that the scheduler does not offer', async (t) => {
  const { api, client } = await startApi(t);
  const ended = new Map([[0, taskState({ status: 'succeeded', attemptNumber: 1 })]]);
  furnish(api);
  api.write(...jobChanges({ status: 'paused' }, [step({ touched: ended }), COMP]));
  api.explainSteps = (steps) =>
    done(explained(leaseExplanation({ isOffered: false }))(steps).map((each) => ({ ...each, tasks: [] })));
  t.match((await client.get('/api/v1/jobs')).body, {
    items: [{ waiting_reason: 'The job is paused: no new tasks start until it is resumed.' }],
  });
});
