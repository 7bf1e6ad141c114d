import { test } from 'tap';
import type { JobId } from '../../../src/core/ids.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { startApi, type ApiFixture } from '../kit/api-fixture.ts';
import { FARM, farmRecord, jobNumber, jobRecord } from '../kit/records.ts';

interface Graph {
  readonly items: readonly { readonly id: string; readonly depends_on: readonly string[] }[];
  readonly is_partial: boolean;
}

const write = (api: ApiFixture, jobs: Readonly<Record<number, readonly number[]>>): void => {
  api.write(
    put('farm', keys.farm(FARM), farmRecord()),
    ...Object.entries(jobs).map(([number, upstream]) => {
      const id = jobNumber(Number(number));
      return put('job', keys.job(id), jobRecord({ id, dependsOn: upstream.map(jobNumber) }));
    }),
  );
};

void test('the graph of a job has all connected jobs, the nearest first', async (t) => {
  const { api, client } = await startApi(t);
  write(api, { 1: [], 2: [1], 3: [2, 99], 4: [1], 5: [3, 4], 6: [] });
  const graphOf = async (id: JobId): Promise<Graph> =>
    (await client.get(`/api/v1/jobs/${id}/graph`)).body as Graph;
  const graph = await graphOf(jobNumber(3));
  t.strictSame(
    graph.items.map(({ id, depends_on: upstream }) => [id, ...upstream]),
    [
      [jobNumber(3), jobNumber(2)],
      [jobNumber(2), jobNumber(1)],
      [jobNumber(5), jobNumber(3), jobNumber(4)],
      [jobNumber(1)],
      [jobNumber(4), jobNumber(1)],
    ],
    'a deleted job is left out',
  );
  t.equal(graph.is_partial, false);
  t.strictSame((await graphOf(jobNumber(6))).items.length, 1);
  t.equal((await client.get(`/api/v1/jobs/${jobNumber(99)}/graph`)).status, 404);
});

void test('a graph is cut at 200 jobs', async (t) => {
  const { api, client } = await startApi(t);
  const count = (jobs: number): Record<number, readonly number[]> =>
    Object.fromEntries(Array.from({ length: jobs }, (_, nth) => [nth + 1, nth === 0 ? [] : [1]]));
  const path = `/api/v1/jobs/${jobNumber(1)}/graph`;
  write(api, count(200));
  t.match(await client.get(path), { body: { is_partial: false } });
  write(api, count(201));
  const { items, is_partial: isPartial } = (await client.get(path)).body as Graph;
  t.strictSame([items.length, isPartial], [200, true]);
});
