import { test } from 'tap';
import type { WorkerEvent } from '../../../client/events/subjects.ts';
import { applyWorkerEvent, latestEvents } from '../../../web/pages/workers/live-workers.ts';
import { formatWorkerRetry } from '../../../web/pages/workers/retry-text.ts';
import { summedUtilisation } from '../../../web/pages/workers/utilisation.ts';
import {
  disabledReason,
  disabledReasonForAll,
  formatWorkerCount,
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

void test('the query of the list has all filters', (t) => {
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

void test('the command and the request list the same workers', (t) => {
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
  t.equal(listCommand({ ...view, search: 'node' }, ''), null, 'the command has no option for a search');
  t.equal(listCommand({ ...view, tag: 'gpu=a100' }, ''), null);
  t.equal(listCommand({ ...view, queue: 'q' }, ''), null);
  t.equal(
    listCurl({ ...view, tag: 'gpu=a100' }, 'http://farm:8080'),
    "curl 'http://farm:8080/api/v1/workers?compute_location=machine+room&search=gpu%3Da100&status=online&sort_by=name&sort_dir=asc'",
  );
  t.end();
});

void test('tags are formatted and suggested', (t) => {
  t.strictSame(tagTexts({ tags: { site: 'cph', big: '' } }), ['big', 'site=cph']);
  t.strictSame(offeredTags([{ tags: { b: '1' } }, { tags: { a: '2', b: '1' } }, { tags: {} }]), [
    'a=2',
    'b=1',
  ]);
  t.end();
});

void test('events change and remove workers', (t) => {
  const latest = latestEvents([event('1', 'online'), event('1', 'disabled'), event('2', 'removed')]);
  t.strictSame([...latest.changed.values()], [event('1', 'disabled')]);
  t.strictSame([...latest.removed], ['2']);
  // A worker that is reported after its removal is not removed.
  t.strictSame([...latestEvents([event('3', 'removed'), event('3', 'online')]).removed], []);
  const worker = aWorker({ id: '1', name: 'node-1', hostname: 'node-1.farm', status: 'online' });
  t.strictSame(applyWorkerEvent(worker, event('1', 'offline')), { ...worker, status: 'offline' });
  t.equal(applyWorkerEvent(worker, event('1', 'online')), worker);
  t.equal(applyWorkerEvent(worker, event('1', 'removed')), worker);
  t.equal(applyWorkerEvent(worker, undefined), worker);
  t.end();
});

void test('an action that does not fit a worker has a reason', (t) => {
  const reasons = (['online', 'offline', 'disabled'] as const).map((status) =>
    (['disable', 'enable', 'delete'] as const).map((action) => disabledReason(action, { status })),
  );
  t.strictSame(reasons, [
    ['', 'The worker is not disabled.', 'The worker is online. Stop it first.'],
    ['', 'The worker is not disabled.', ''],
    ['The worker is already disabled.', '', ''],
  ]);
  t.equal(disabledReasonForAll('enable', [{ status: 'online' }, { status: 'disabled' }]), '');
  t.equal(disabledReasonForAll('enable', [{ status: 'online' }]), 'The worker is not disabled.');
  t.equal(
    disabledReasonForAll('enable', [{ status: 'online' }, { status: 'offline' }]),
    'Not available for any of the selected workers.',
  );
  t.equal(disabledReasonForAll('enable', []), '');
  t.strictSame([1, 2, 1_200].map(formatWorkerCount), ['1 worker', '2 workers', '1,200 workers']);
  t.end();
});

void test('the result of a retry is formatted', (t) => {
  const problem = {
    type: 'about:blank' as const,
    title: 'Conflict',
    status: 409,
    detail: 'the job was deleted',
  };
  t.strictSame(formatWorkerRetry({ worker_id: 'w', retried: 0, jobs: [] }, 'node'), {
    title: 'No failed tasks of node to retry',
    refusals: '',
  });
  t.strictSame(
    formatWorkerRetry(
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
    { title: '3 tasks of 1 job retried', refusals: 'the job was deleted' },
  );
  t.end();
});

void test('the cores of several farms are added up over time', (t) => {
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

void test('the history of a worker is converted to chart series', (t) => {
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
        { label: 'Total', color: '--text-muted', isLimit: true, values: [null, 8] },
      ],
    },
  );
  t.end();
});
