import type { Case } from '../../kit/cases.ts';
import { jobOf } from '../../kit/contract-bench.ts';
import { column, NO_COUNTS, type RestContext, type Row, UNKNOWN, UNMATCHED } from './kit.ts';

/** Returns a task without the reason why it waits, which another request may tell for another moment. */
const factsOf = ({ waiting_reason: _reason, ...task }: Row): Row => task;

/** Tasks that no worker runs: fields, lists, cancel and retry. */
export const taskCases: readonly Case<RestContext>[] = [
  [
    'tasks: fields, the list of a job with its filter, orders and bounds; cancel and retry of one task',
    async (t, { api, page, submitted, refused, walked }) => {
      const job = await submitted(
        jobOf(
          'tasks',
          { name: 'B', line: 'true', tasks: 12, attributes: UNMATCHED },
          { name: 'A', line: 'true', after: ['B'] },
        ),
      );
      const path = `/api/v1/jobs/${String(job['id'])}/tasks`;
      const all = (await page(path)).items;
      const detail = await api.read<Row>(`/api/v1/jobs/${String(job['id'])}`);
      const steps = column(detail['steps'] as readonly Row[], 'id');
      const [first] = all;
      t.strictSame(first, {
        id: first?.['id'],
        job_id: job['id'],
        step_id: steps[0],
        name: first?.['name'],
        parameters: { N: '1' },
        status: 'ready',
        created_at: job['created_at'],
        updated_at: first?.['updated_at'],
        failed_attempts: 0,
        waiting_reason: 'No worker is online.',
      });
      t.strictSame(await api.read(`/api/v1/tasks/${String(first?.['id'])}`), first);
      t.equal(all.length, 13);
      t.notOk('parameters' in (all[12] ?? {}), 'omitted when empty');
      t.match(all[12], { step_id: steps[1], status: 'pending' });
      const frames = all.slice(0, 12).map((task) => (task['parameters'] as Row)['N']);
      t.strictSame(
        frames,
        Array.from({ length: 12 }, (_, at) => String(at + 1)),
      );
      const canceled = `/api/v1/tasks/${String(all[4]?.['id'])}`;
      t.strictSame((await api.ask('POST', `${canceled}/cancel`)).body, {
        task_id: all[4]?.['id'],
        status: 'canceled',
      });
      t.match(await api.read(canceled), { status: 'canceled', failure_reason: 'canceled by user' });
      const ids = (await page(path)).items.map((task) => task['id']);
      const queries: readonly (readonly [query: string, expected: readonly unknown[]])[] = [
        ['', ids],
        ['?sort_dir=desc', [...ids].reverse()],
        ['?sort_by=created_at', ids],
        ['?status=canceled', [ids[4]]],
        ['?status=pending', [ids[12]]],
        ['?status=ready&limit=3&offset=3', [ids[3], ids[5], ids[6]]],
        ['?status=running', []],
        ['?sort_by=updated_at&sort_dir=desc&limit=1', [ids[4]]],
        ['?limit=2&offset=12', [ids[12]]],
        ['?offset=99', []],
      ];
      for (const [query, expected] of queries) {
        t.strictSame(column((await page(`${path}${query}`)).items, 'id'), expected, query);
      }
      t.match(await page(`${path}?limit=3`), { total: 13, limit: 3, offset: 0 });
      for (const order of ['created_at', 'status', 'updated_at', 'name']) {
        const rows = await walked(`${path}?sort_by=${order}`, 5);
        t.strictSame(column(rows, 'id').sort(), [...ids].sort(), order);
        t.strictSame(rows.map(factsOf), (await page(`${path}?sort_by=${order}`)).items.map(factsOf), order);
      }
      t.equal((await page(`${path}?sort_by=name`)).items[0]?.['id'], ids[12], 'step A before step B');
      await refused(t, [
        ...['limit=0', 'limit=1001', 'offset=-1', 'sort_by=priority', 'status=completed'].map(
          (query) => ['GET', `${path}?${query}`, 400] as const,
        ),
        ['GET', `/api/v1/jobs/${UNKNOWN}/tasks`, 404],
        ['POST', `${canceled}/cancel`, 409],
        ['POST', `/api/v1/tasks/${String(ids[0])}/retry`, 409],
        ...['', '/attempts', '/logs'].map(
          (below) => ['GET', `/api/v1/tasks/${UNKNOWN}${below}`, 404] as const,
        ),
      ]);
      const retried = await api.ask('POST', `${canceled}/retry`);
      t.strictSame(
        [retried.status, retried.body],
        [202, { task_id: ids[4], status: 'ready', retried: 1, dependents: [] }],
      );
      t.notOk('failure_reason' in (await api.read<Row>(canceled)), 'cleared on retry');
      t.strictSame(await api.must('POST', `/api/v1/jobs/${String(job['id'])}/retry`), {
        job_id: job['id'],
        status: 'pending',
        retried: 0,
        steps: [],
        dependents: [],
      });
      await api.must('POST', `/api/v1/jobs/${String(job['id'])}/cancel`);
      t.strictSame(await api.must('POST', `/api/v1/jobs/${String(job['id'])}/retry`), {
        job_id: job['id'],
        status: 'pending',
        retried: 13,
        steps: [
          { step_id: steps[0], name: 'B', retried: 12 },
          { step_id: steps[1], name: 'A', retried: 1 },
        ],
        dependents: [],
      });
      t.match(await api.read(`/api/v1/jobs/${String(job['id'])}`), {
        status: 'pending',
        task_counts: { ...NO_COUNTS, total: 13, ready: 12, pending: 1 },
      });
      t.strictSame(
        await api.read(`/api/v1/tasks/${String(ids[0])}/attempts`),
        { items: [] },
        'a task that has not run has no attempts',
      );
      t.strictSame(await api.read(`/api/v1/tasks/${String(ids[0])}/logs`), { items: [], after_bus_seq: 0 });
    },
  ],
];
