import { test } from 'tap';
import { attemptIdOf, workerId, type AttemptAddress, type JobId } from '../../../src/core/ids.ts';
import { put, type Change } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { indexAttempts } from '../../../src/core/records/attempts-of-worker.ts';
import { EXAMINED_MAX } from '../../../http/views/worker-attempts.ts';
import { startApi } from '../kit/api-fixture.ts';
import { startSignedIn } from '../kit/signed-in.ts';
import {
  attemptRecord,
  FARM,
  farmRecord,
  FRAMES,
  jobChanges,
  jobNumber,
  T0,
  taskState,
  uuid,
  WORKER,
  workerRecord,
} from '../kit/records.ts';

const [ONE, TWO, DELETED] = [jobNumber(1), jobNumber(2), jobNumber(3)];
const PATH = `/api/v1/workers/${WORKER}/attempts`;
const time = (ms: number): string => new Date(T0 + ms).toISOString();

interface AttemptPage {
  readonly items: readonly {
    readonly task_name: string;
    readonly job_name: string;
    readonly status: string;
  }[];
  readonly next?: string;
}

/** Returns the rows of an attempt that ran from `from` to `to`, in milliseconds after T0. */
function ran(job: JobId, index: number, from: number, to: number, worker = WORKER): Change[] {
  const address: AttemptAddress = { jobId: job, stepOrder: 0, index, attemptNumber: 1 };
  return [
    put(
      'attempt',
      keys.attempt(address, 1),
      attemptRecord({
        id: attemptIdOf(address),
        status: 'succeeded',
        workerId: worker,
        startedAt: T0 + from,
        endedAt: T0 + to,
        exitCode: 0,
      }),
    ),
    indexAttempts(worker, T0 + to, [address]),
  ];
}

/** Job one has a running task; the worker also ran tasks of job two, and of one that was deleted. */
const furnished = (owners: readonly [string, string] = ['Alice', 'bob']): Change[] => [
  put('farm', keys.farm(FARM), farmRecord()),
  put('worker', keys.worker(WORKER), workerRecord({ name: 'node-a', ordinal: 7 })),
  put('workerOrdinal', keys.workerOrdinal(FARM, 7), { version: 1, workerId: WORKER }),
  ...jobChanges({ id: ONE, name: 'one', owner: owners[0] }, [
    {
      name: 'render',
      untouched: 'ready',
      taskCount: 5,
      space: FRAMES(5),
      touched: new Map([
        [4, taskState({ status: 'assigned', attemptNumber: 1, assignedAt: T0 + 9_000, workerOrdinal: 7 })],
      ]),
    },
  ]),
  ...jobChanges({ id: TWO, name: 'two', owner: owners[1] }, [
    { name: 'comp', untouched: 'ready', taskCount: 5, space: FRAMES(5), touched: new Map() },
  ]),
  put('booking', keys.booking(WORKER), {
    version: 1,
    bookings: [
      { attemptId: attemptIdOf({ jobId: ONE, stepOrder: 0, index: 4, attemptNumber: 1 }), cores: 1 },
    ],
  }),
  ...ran(ONE, 0, 0, 1_000),
  ...ran(TWO, 1, 1_000, 3_000),
  ...ran(ONE, 2, 2_000, 4_000),
  ...ran(DELETED, 3, 4_000, 5_000),
];

const names = ({ items }: AttemptPage): string =>
  items.map(({ job_name: job, task_name: task }) => `${job}:${/[0-9]+/.exec(task)?.[0] ?? ''}`).join(' ');

void test('lists the attempts of a worker in all jobs, open ones first', async (t) => {
  const { api, client } = await startApi(t);
  api.write(...furnished());
  const list = async (query = ''): Promise<AttemptPage> =>
    (await client.get(`${PATH}?${query}`)).body as AttemptPage;
  const all = await list();
  t.equal(names(all), 'one:5 one:3 two:2 one:1');
  t.match(all.items[0], { status: 'running', started_at: time(9_000), attempt_number: 1 });
  t.notOk('ended_at' in (all.items[0] ?? {}));
  t.match(all.items[2], {
    job_id: TWO,
    step_name: 'comp',
    task_name: 'comp[Frame=2]',
    status: 'succeeded',
    exit_code: 0,
    started_at: time(1_000),
    ended_at: time(3_000),
  });
  t.notOk('next' in all);
  t.equal(names(await list(`since=${time(3_000)}`)), 'one:5 one:3 two:2', 'the end is included');
  t.equal(names(await list(`since=${time(3_001)}`)), 'one:5 one:3');
  t.equal(names(await list(`until=${time(2_000)}`)), 'two:2 one:1', 'the start is excluded');
  t.equal(names(await list(`since=${time(1_001)}&until=${time(2_001)}`)), 'one:3 two:2');
  t.equal((await client.get(`/api/v1/workers/${uuid('e', 9)}/attempts`)).status, 404);
  t.equal((await client.get(`${PATH}?before=x`)).status, 400);
  t.equal((await client.get(`${PATH}?since=yesterday`)).status, 400);
});

void test('the pages of the list have every attempt once', async (t) => {
  const { api, client } = await startApi(t);
  api.write(...furnished());
  const found: string[] = [];
  let before = '';
  let pages = 0;
  for (;;) {
    const { body } = await client.get(`${PATH}?limit=1${before}`);
    const page = body as AttemptPage;
    found.push(names(page));
    pages++;
    if (page.next === undefined) break;
    before = `&before=${encodeURIComponent(page.next)}`;
  }
  t.equal(found.filter((text) => text !== '').join(' '), 'one:5 one:3 two:2 one:1');
  t.equal(pages, 3, 'the open attempt is on the first page in addition');
});

void test('a page examines a limited number of entries', async (t) => {
  const { api, client } = await startApi(t);
  api.write(...furnished());
  const many = Array.from({ length: EXAMINED_MAX + 10 }, (_, index) =>
    indexAttempts(WORKER, T0 + 10_000 + index, [{ jobId: DELETED, stepOrder: 0, index, attemptNumber: 1 }]),
  );
  api.write(...many);
  const first = (await client.get(PATH)).body as AttemptPage;
  t.equal(names(first), 'one:5', 'only the open one');
  t.type(first.next, 'string');
  const { body } = await client.get(`${PATH}?before=${encodeURIComponent(first.next ?? '')}`);
  t.equal(names(body as AttemptPage), 'one:3 two:2 one:1');
});

void test('a user sees only the attempts of own jobs', async (t) => {
  const { api, as } = await startSignedIn(t);
  api.write(...furnished());
  const seen = async (name: 'alice' | 'bob' | 'rita'): Promise<string> =>
    names((await as(name).get(PATH)).body as AttemptPage);
  t.equal(await seen('alice'), 'one:5 one:3 one:1');
  t.equal(await seen('bob'), 'two:2');
  t.equal(await seen('rita'), 'one:5 one:3 two:2 one:1');
  const { body } = await as('bob').get(`/api/v1/farms/${FARM}/attempts`);
  t.match(body, { items: [{ worker_name: 'node-a', attempts: [{ job_name: 'two' }] }], total: 1 });
  t.notMatch(JSON.stringify(body), /"one"/);
});

void test('lists the workers of a farm by name with their latest attempts', async (t) => {
  const { api, client } = await startApi(t);
  const second = workerId(uuid('e', 2));
  api.write(
    ...furnished(),
    put('worker', keys.worker(second), workerRecord({ id: second, name: 'node-0', status: 'offline' })),
    ...ran(TWO, 4, 1_000, 2_000, second),
  );
  const list = async (query: string): Promise<unknown> =>
    (await client.get(`/api/v1/farms/${FARM}/attempts?${query}`)).body;
  t.match(await list(''), {
    total: 2,
    items: [
      { worker_id: second, worker_name: 'node-0', status: 'offline', has_more: false },
      { worker_id: WORKER, worker_name: 'node-a', status: 'online', has_more: false },
    ],
  });
  t.match(await list('offset=1&per_worker=1'), {
    total: 2,
    items: [
      {
        worker_name: 'node-a',
        has_more: true,
        attempts: [{ status: 'running' }, { task_name: 'render[Frame=3]' }],
      },
    ],
  });
  t.match(await list(`since=${time(3_500)}&limit=1`), { items: [{ worker_name: 'node-0', attempts: [] }] });
  t.equal((await client.get(`/api/v1/farms/${uuid('f', 9)}/attempts`)).status, 404);
});
