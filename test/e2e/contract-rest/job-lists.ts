import type { Case } from '../../kit/cases.ts';
import { column, type RestContext, type Row, UNKNOWN, waitingJob } from './kit.ts';

const STATUSES = ['pending', 'blocked', 'paused', 'running', 'completed', 'failed', 'canceled'];

/** GET /jobs: filters, search, orders and pages. */
export const jobListCases: readonly Case<RestContext>[] = [
  [
    'GET /jobs: every filter, all words of a case-insensitive search, every order, pages',
    async (t, { api, farm, page, refused, walked }) => {
      const other = await api.must<Row>('POST', '/api/v1/queues', { farm_id: farm.id, name: 'of lists' });
      const at = `/api/v1/jobs?farm_id=${farm.id}&queue_id=${String(other['id'])}`;
      const rows: Row[] = [];
      const make = async (name: string, query: string): Promise<Row> => {
        const { body } = await api.ask('POST', `${at}${query}`, { body: waitingJob(name) });
        rows.push(body as Row);
        return body as Row;
      };
      const delta = await make('Delta shot', '&owner=ann&project=Moon&priority=10');
      const alpha = await make('alpha shot', '&owner=Bob&project=moon&priority=90');
      const twin = await make('alpha shot', '&owner=ann&project=Sun&priority=10');
      const umlaut = await make('Überblick 100%', '&owner=ann+lee&priority=50');
      const paused = await make('beta', '&owner=zoe&project=Moon');
      await api.must('PATCH', `/api/v1/jobs/${String(paused['id'])}`, { action: 'pause' });
      await api.must('POST', `/api/v1/jobs/${String(twin['id'])}/cancel`);
      const ids = (rows: readonly (Row | undefined)[]): unknown[] => rows.map((row) => row?.['id']);
      const found = async (query: string): Promise<unknown[]> => ids((await page(`${at}${query}`)).items);
      const filters: readonly (readonly [query: string, expected: readonly Row[]])[] = [
        ['', [delta, alpha, twin, umlaut, paused]],
        ['&status=pending', [delta, alpha, umlaut]],
        ['&status=paused', [paused]],
        ['&status=canceled', [twin]],
        ['&status=running', []],
        ['&owner=ann', [delta, twin]],
        ['&owner=ann%20lee', [umlaut]],
        ['&project=Moon', [delta, paused]],
        ['&owner=ann&project=Moon', [delta]],
        ['&search=shot', [delta, alpha, twin]],
        ['&search=SHOT+moon', [delta, alpha]],
        ['&search=%20%20moon%09BOB%20', [alpha]],
        ['&search=shot+zoe', []],
        ['&search=%C3%BCBERBLICK', [umlaut]],
        ['&search=100%25', [umlaut]],
        ['&search=%25', [umlaut]],
        ['&search=.*', []],
        ['&search=', [delta, alpha, twin, umlaut, paused]],
        [`&search=${String(alpha['id']).toUpperCase()}`, [alpha]],
        [`&search=${String(alpha['id']).slice(-7)}+alpha`, [alpha]],
        ['&search=anonymous', []],
      ];
      for (const [query, expected] of filters) t.strictSame(await found(query), ids(expected), query);
      t.strictSame(await found('&unknown=1'), ids(rows), 'an unknown parameter is ignored');
      const orders: readonly (readonly [query: string, expected: readonly Row[]])[] = [
        ['&sort_by=created_at', [delta, alpha, twin, umlaut, paused]],
        ['&sort_by=created_at&sort_dir=desc', [paused, umlaut, twin, alpha, delta]],
        ['&sort_dir=desc', [paused, umlaut, twin, alpha, delta]],
        ['&sort_by=priority', [delta, twin, umlaut, paused, alpha]],
        ['&sort_by=priority&sort_dir=desc', [alpha, umlaut, paused, delta, twin]],
        ['&sort_by=updated_at', [delta, alpha, umlaut, paused, twin]],
        ['&sort_by=updated_at&sort_dir=desc', [twin, paused, umlaut, alpha, delta]],
      ];
      for (const [query, expected] of orders) t.strictSame(await found(query), ids(expected), query);
      const names = column((await page(`${at}&sort_by=name`)).items, 'name');
      t.strictSame(
        column((await page(`${at}&sort_by=name&sort_dir=desc`)).items, 'name'),
        [...names].reverse(),
      );
      t.strictSame([...names].sort(), [...column(rows, 'name')].sort());
      t.ok(names.indexOf('alpha shot') < names.indexOf('beta'), 'sorted by name');
      const statuses = column((await page(`${at}&sort_by=status`)).items, 'status');
      const grouped = statuses.filter((status, index) => status !== statuses[index - 1]);
      t.equal(new Set(statuses).size, grouped.length, 'equal statuses are adjacent');
      t.strictSame(
        column((await page(`${at}&sort_by=status&sort_dir=desc`)).items, 'status'),
        [...statuses].reverse(),
      );
      for (const limit of [1, 2, 3, 1000]) {
        for (const query of ['', '&sort_by=priority&sort_dir=desc', '&search=shot']) {
          t.strictSame(ids(await walked(`${at}${query}`, limit)), await found(query), `${limit} ${query}`);
        }
      }
      t.match(await page(at), { total: 5, limit: 50, offset: 0 });
      t.match(await page(`${at}&limit=1000&offset=4`), { total: 5, limit: 1000, offset: 4, items: [{}] });
      t.strictSame(await page(`${at}&offset=900`), { items: [], total: 5, limit: 50, offset: 900 });
      t.equal((await page(`/api/v1/jobs?farm_id=${UNKNOWN}`)).total, 0);
      t.notOk('steps' in ((await page(at)).items[0] ?? {}), 'only the job detail lists steps');
      await refused(t, [
        ...['limit=0', 'limit=1001', 'offset=-1', 'limit=5x', 'sort_by=owner', 'sort_dir=down'].map(
          (query) => ['GET', `/api/v1/jobs?${query}`, 400] as const,
        ),
        ...['done', 'PENDING', ''].map((status) => ['GET', `/api/v1/jobs?status=${status}`, 400] as const),
      ]);
      for (const status of STATUSES) t.equal((await api.get(`/api/v1/jobs?status=${status}`)).status, 200);
    },
  ],
];
