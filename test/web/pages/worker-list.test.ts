import { test } from 'tap';
import type { WorkerEvent } from '../../../client/events/subjects.ts';
import { latestEvents, workerAfter } from '../../../web/pages/workers/live-workers.ts';
import { retryInWords } from '../../../web/pages/workers/retry-words.ts';
import { summedUtilisation } from '../../../web/pages/workers/utilisation.ts';
import {
  disabledReason,
  disabledReasonForAll,
  workersInWords,
} from '../../../web/pages/workers/worker-actions.ts';
import {
  isFiltered,
  listCommand,
  listCurl,
  listQuery,
  NO_FILTERS,
  offeredTags,
  tagTexts,
} from '../../../web/pages/workers/worker-filters.ts';
import { workerSeries } from '../../../web/pages/worker/worker-series.ts';
import { aWorker } from '../kit/workers.ts';

const event = (id: string, status: WorkerEvent['status'], name = `node-${id}`): WorkerEvent => ({
  worker_id: id,
  name,
  hostname: `${name}.farm`,
  farm_id: 'f',
  status,
});

void test('what the list is asked with', (t) => {
  t.strictSame(listQuery({ ...NO_FILTERS, sort: 'name', dir: 'asc' }), {
    farm_id: undefined,
    queue_id: undefined,
    compute_location: undefined,
    search: undefined,
    status: undefined,
    sort_by: 'name',
    sort_dir: 'asc',
  });
  t.strictSame(
    listQuery({
      status: 'offline',
      search: '  node ',
      farm: 'f',
      queue: 'q',
      location: 'cph',
      tag: 'gpu=a100',
      sort: 'last_heartbeat_at',
      dir: 'desc',
    }),
    {
      farm_id: 'f',
      queue_id: 'q',
      compute_location: 'cph',
      search: 'node gpu=a100',
      status: 'offline',
      sort_by: 'last_heartbeat_at',
      sort_dir: 'desc',
    },
  );
  t.equal(isFiltered(NO_FILTERS), false);
  t.equal(isFiltered({ ...NO_FILTERS, tag: 'a=b' }), true);
  t.end();
});

void test('the same list in a shell', (t) => {
  const view = {
    ...NO_FILTERS,
    location: 'machine room',
    status: 'online',
    sort: 'name',
    dir: 'asc',
  } as const;
  t.equal(
    listCommand(view, 'http://farm:8080'),
    "callsheet workers --status online --location 'machine room' --sort-by name --sort-dir asc --url http://farm:8080",
  );
  t.equal(listCommand({ ...view, search: 'node' }, ''), null, 'the command has no words for it');
  t.equal(listCommand({ ...view, tag: 'gpu=a100' }, ''), null);
  t.equal(listCommand({ ...view, queue: 'q' }, ''), null);
  t.equal(
    listCurl({ ...view, tag: 'gpu=a100' }, 'http://farm:8080'),
    "curl 'http://farm:8080/api/v1/workers?compute_location=machine+room&search=gpu%3Da100&status=online&sort_by=name&sort_dir=asc'",
  );
  t.end();
});

void test('tags as they are shown and offered', (t) => {
  t.strictSame(tagTexts({ tags: { site: 'cph', big: '' } }), ['big', 'site=cph']);
  t.strictSame(offeredTags([{ tags: { b: '1' } }, { tags: { a: '2', b: '1' } }, { tags: {} }]), [
    'a=2',
    'b=1',
  ]);
  t.end();
});

void test('events change rows, and take them out', (t) => {
  const news = latestEvents([event('1', 'online'), event('1', 'disabled'), event('2', 'removed')]);
  t.strictSame([...news.changed.values()], [event('1', 'disabled')]);
  t.strictSame([...news.gone], ['2']);
  // An id that was removed and is told again is there.
  t.strictSame([...latestEvents([event('3', 'removed'), event('3', 'online')]).gone], []);
  const worker = aWorker({ id: '1', name: 'node-1', hostname: 'node-1.farm', status: 'online' });
  t.strictSame(workerAfter(worker, event('1', 'offline')), { ...worker, status: 'offline' });
  t.equal(workerAfter(worker, event('1', 'online')), worker);
  t.equal(workerAfter(worker, event('1', 'removed')), worker);
  t.equal(workerAfter(worker, undefined), worker);
  t.end();
});

void test('what can be done to a worker', (t) => {
  const reasons = (['online', 'offline', 'disabled'] as const).map((status) =>
    (['disable', 'enable', 'delete'] as const).map((action) => disabledReason(action, { status })),
  );
  t.strictSame(reasons, [
    ['', 'It is not disabled.', 'It is online: stop it first.'],
    ['', 'It is not disabled.', ''],
    ['It is disabled already.', '', ''],
  ]);
  t.equal(disabledReasonForAll('enable', [{ status: 'online' }, { status: 'disabled' }]), '');
  t.equal(disabledReasonForAll('enable', [{ status: 'online' }]), 'It is not disabled.');
  t.equal(
    disabledReasonForAll('enable', [{ status: 'online' }, { status: 'offline' }]),
    'Not for any of the selected workers.',
  );
  t.equal(disabledReasonForAll('enable', []), '');
  t.strictSame([1, 2, 1_200].map(workersInWords), ['1 worker', '2 workers', '1,200 workers']);
  t.end();
});

void test('a retry in words', (t) => {
  const problem = { type: 'about:blank' as const, title: 'Conflict', status: 409, detail: 'the job is gone' };
  t.strictSame(retryInWords({ worker_id: 'w', retried: 0, jobs: [] }, 'node'), {
    title: 'Nothing that failed on node is left to retry',
    refusals: '',
  });
  t.strictSame(
    retryInWords(
      {
        worker_id: 'w',
        retried: 3,
        jobs: [
          { job_id: 'a', retried: 3 },
          { job_id: 'b', retried: 0, problem },
        ],
      },
      'node',
    ),
    { title: '3 tasks of 1 job are tried again', refusals: 'the job is gone' },
  );
  t.end();
});

void test('the cores of several farms over time', (t) => {
  t.strictSame(
    summedUtilisation([
      {
        times: ['2026-01-01T00:01:00Z', '2026-01-01T00:02:00Z'],
        cores_booked: [1, 2],
        cores_total: [8, 8],
      },
      { times: ['2026-01-01T00:02:00Z'], cores_booked: [3], cores_total: [4] },
    ]),
    { times: [1_767_225_660, 1_767_225_720], booked: [1, 5], total: [8, 12] },
  );
  t.strictSame(summedUtilisation([]), { times: [], booked: [], total: [] });
  t.end();
});

void test('the history of a worker as a chart has it', (t) => {
  t.strictSame(
    workerSeries({
      times: ['2026-01-01T00:01:00Z', '2026-01-01T00:02:00Z'],
      cores_booked: [null, 2],
      cpu_count: 8,
    }),
    {
      times: [1_767_225_660, 1_767_225_720],
      series: [
        { label: 'Booked', color: '--state-running', isFilled: true, values: [null, 2] },
        { label: 'Cores it has', color: '--text-muted', isLimit: true, values: [null, 8] },
      ],
    },
  );
  t.end();
});
