import { test } from 'tap';
import { CommandError } from '../../../cli/terminal/exit-codes.ts';
import { findFarm, findJob, findTask, findWorker } from '../../../cli/client/lookup.ts';
import { RestClient } from '../../../cli/client/rest-client.ts';
import { answeringService, type Answer } from '../answering-service.ts';

const NORTH = { id: '0198a1c2-1111-7111-8111-111111111111', name: 'north' };
const SOUTH = { id: '0198a1c2-2222-7222-8222-222222222222', name: 'south' };
/** Its name is the prefix of another farm's ID. */
const ODD = { id: '0198ffff-3333-7333-8333-333333333333', name: '0198a1c2-1111' };

const pageOf = (items: readonly object[], total = items.length): Answer => ({ body: { items, total } });

/** Result of a lookup: an ID, or the exit status and message. */
const told = async (found: Promise<string | { readonly id: string }>): Promise<unknown> => {
  try {
    const item = await found;
    return typeof item === 'string' ? item : item.id;
  } catch (error) {
    if (error instanceof CommandError) return [error.exitCode, error.message];
    throw error;
  }
};

test('a farm is found by ID, by name, or by a unique ID prefix', async (t) => {
  const service = await answeringService({ 'GET /api/v1/farms': [{ body: [NORTH, SOUTH, ODD] }] });
  t.teardown(() => service.close());
  const client = new RestClient(service.url);
  const farm = (given: string): Promise<unknown> => told(findFarm(client, given));
  t.equal(await farm(SOUTH.id), SOUTH.id);
  t.equal(await farm('south'), SOUTH.id);
  t.equal(await farm('0198a1c2-2'), SOUTH.id);
  t.equal(await farm('0198FFFF'), ODD.id);
  t.equal(await farm('0198a1c2-1111'), ODD.id, 'a name wins over an ID prefix');
  t.equal(await farm('0198a1c2-1111-'), NORTH.id);
  t.same(await farm('0198a1c2'), [
    2,
    `"0198a1c2" matches several farms; use one of these ids:\n  ${NORTH.id}  north\n  ${SOUTH.id}  south`,
  ]);
  t.same(await farm('019'), [4, 'there is no farm "019"'], 'an ID prefix has at least four characters');
  t.same(await farm(''), [4, 'there is no farm ""']);
  t.same(await farm('South'), [4, 'there is no farm "South"'], 'names are case-sensitive');
});

test('an ambiguous name lists only some of the matches', async (t) => {
  const workers = Array.from({ length: 12 }, (_, at) => ({ id: `worker-${at}`, name: 'same' }));
  const service = await answeringService({ 'GET /api/v1/workers': [pageOf(workers)] });
  t.teardown(() => service.close());
  const [status, message] = (await told(findWorker(new RestClient(service.url), 'same'))) as [number, string];
  t.equal(status, 2);
  t.equal(message.split('\n').length, 12);
  t.equal(message.split('\n').at(-1), '  ...');
});

test('a job is found by name or ID prefix in all pages of matches', async (t) => {
  const job = (digit: string, name: string): object => ({ id: `0198a1c2-${digit.repeat(4)}-7`, name });
  const service = await answeringService({
    'GET /api/v1/jobs': [
      pageOf([job('1', 'shot 010 again'), job('2', 'another')], 1500),
      // The second page repeats the last job of the first, because a job was created in the meantime.
      pageOf([job('2', 'another'), job('3', 'shot 010')], 1500),
    ],
  });
  t.teardown(() => service.close());
  const client = new RestClient(service.url);
  t.equal(await told(findJob(client, 'shot 010', NORTH.id)), '0198a1c2-3333-7');
  t.same(
    service.requests.map(({ path }) => path),
    [0, 1000].map(
      (offset) =>
        `/api/v1/jobs?search=shot+010&farm_id=${NORTH.id}&sort_by=created_at&sort_dir=desc&limit=1000&offset=${offset}`,
    ),
  );
  service.requests.length = 0;
  t.equal(await told(findJob(client, '0198A1C2-2222-7222-8222-222222222222')), SOUTH.id);
  t.equal(service.requests.length, 0, 'a complete ID needs no lookup');
  t.same(await told(findJob(client, ' ')), [4, 'there is no job " "']);
});

test('jobs with the same name are distinguished by ID', async (t) => {
  const jobs = [
    { id: '0198a1c2-1111-7', name: 'comp' },
    { id: '0198a1c2-2222-7', name: 'comp' },
    { id: '0198a1c2-3333-7', name: 'compositing' },
  ];
  const service = await answeringService({ 'GET /api/v1/jobs': [pageOf(jobs)] });
  t.teardown(() => service.close());
  const client = new RestClient(service.url);
  t.same(await told(findJob(client, 'comp')), [
    2,
    '"comp" matches several jobs; use one of these ids:\n  0198a1c2-1111-7  comp\n  0198a1c2-2222-7  comp',
  ]);
  t.equal(await told(findJob(client, '0198a1c2-2')), '0198a1c2-2222-7');
  t.same(await told(findJob(client, 'compo')), [4, 'there is no job "compo"']);
});

test('a lookup with too many matches stops', async (t) => {
  const service = await answeringService({
    'GET /api/v1/jobs': [pageOf([{ id: 'x', name: 'y' }], 1_000_000)],
  });
  t.teardown(() => service.close());
  t.same(await told(findJob(new RestClient(service.url), 'comp')), [
    2,
    'too many jobs match "comp"; give an id',
  ]);
  t.equal(service.requests.length, 20);
});

test('a task is found by its ID, or by job, step and index', async (t) => {
  const step = (id: string, name: string, total: number): object => ({ id, name, task_counts: { total } });
  const steps = [step('s0', 'Render', 40), step('s1', 'Join', 1), step('s2', '7', 2)];
  const service = await answeringService({
    [`GET /api/v1/jobs/${NORTH.id}`]: [{ body: { id: NORTH.id, steps } }],
    'GET /api/v1/jobs': [pageOf([{ id: NORTH.id, name: 'a/b' }])],
    [`GET /api/v1/jobs/${NORTH.id}/tasks`]: [pageOf([{ id: 'the-task', step_id: 's1' }])],
  });
  t.teardown(() => service.close());
  const client = new RestClient(service.url);
  const task = (given: string): Promise<unknown> => told(findTask(client, given));
  const asked = (): string | undefined => service.requests.at(-1)?.path;

  t.equal(await task('any-id'), 'any-id');
  t.equal(service.requests.length, 0);
  t.equal(await task(`${NORTH.id}/Join`), 'the-task');
  t.equal(asked(), `/api/v1/jobs/${NORTH.id}/tasks?sort_by=created_at&limit=1&offset=40`);
  t.equal(await task('a/b/Join/0'), 'the-task', 'names of jobs may contain slashes');
  t.same(await task(`${NORTH.id}/Join/1`), [4, 'the step Join has no task 1: it has 1, from 0']);
  t.same(await task(`${NORTH.id}/Render`), [
    2,
    `the step Render has 40 tasks: give ${NORTH.id}/Render/0 to ${NORTH.id}/Render/39`,
  ]);
  t.equal(await task(`${NORTH.id}/Render/39`), 'the-task');
  t.equal(asked(), `/api/v1/jobs/${NORTH.id}/tasks?sort_by=created_at&limit=1&offset=39`);
  t.same(await task(`${NORTH.id}/Render/40`), [4, 'the step Render has no task 40: it has 40, from 0']);
  t.same(await task(`${NORTH.id}/Bake/0`), [4, 'the job has no step "Bake": its steps are Render, Join, 7']);
});
