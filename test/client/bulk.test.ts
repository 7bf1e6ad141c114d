import { test } from 'tap';
import { collectIds, refusalGroups, runBulk } from '../../client/bulk.ts';
import type { BulkResult, BulkResults } from '../../client/resources.ts';

const refusal = (id: string, detail: string): BulkResult => ({
  id,
  ok: false,
  changed: false,
  status: 409,
  problem: { type: 'about:blank', title: 'Conflict', status: 409, detail },
});

test('runBulk sends 1,000 items per request', async (t) => {
  const ids = Array.from({ length: 2_500 }, (_unused, nth) => `j${nth}`);
  const sent: (readonly string[])[] = [];
  const progress: number[] = [];
  const send = (lot: readonly string[]): Promise<BulkResults> => {
    sent.push(lot);
    const results = lot.map((id) =>
      id === 'j7'
        ? refusal(id, 'it has ended')
        : { id, ok: true, changed: id !== 'j9', status: 200, retried: id === 'j9' ? 0 : 2 },
    );
    return Promise.resolve({ total: lot.length, changed: lot.length, results });
  };
  const outcome = await runBulk(ids, send, {
    progress: (dealtWith) => progress.push(dealtWith),
    isStopped: () => false,
  });
  t.same(
    sent.map((lot) => [lot.length, lot[0]]),
    [
      [1000, 'j0'],
      [1000, 'j1000'],
      [500, 'j2000'],
    ],
  );
  t.same(progress, [1000, 2000, 2500]);
  t.same(outcome, {
    done: 2498,
    retried: 4996,
    dependents: 0,
    unchanged: [{ id: 'j9', ok: true, changed: false, status: 200, retried: 0 }],
    refused: [refusal('j7', 'it has ended')],
    left: 0,
  });
});

test('runBulk stops at a request that fails as a whole', async (t) => {
  await t.rejects(
    runBulk(['j1'], () => Promise.reject(new Error('gone'))),
    /gone/,
  );
});

test('runBulk can be canceled', async (t) => {
  let lots = 0;
  const outcome = await runBulk(
    Array.from({ length: 3_000 }, (_unused, nth) => `j${nth}`),
    (lot) => {
      lots += 1;
      const results = lot.map((id) => ({ id, ok: true, changed: true, status: 204 }));
      return Promise.resolve({ total: lot.length, changed: lot.length, results });
    },
    { progress: () => undefined, isStopped: () => lots === 1 },
  );
  t.same(outcome, { done: 1000, retried: 0, dependents: 0, unchanged: [], refused: [], left: 2000 });
});

test('collectIds returns all matching jobs except the excluded ones', async (t) => {
  const all = Array.from({ length: 2_001 }, (_unused, nth) => ({ id: `j${nth}` }));
  const offsets: number[] = [];
  const ids = await collectIds(
    (offset, limit) => {
      offsets.push(offset);
      return Promise.resolve({ items: all.slice(offset, offset + limit), total: all.length });
    },
    new Set(['j1']),
  );
  t.same([offsets, ids.length, ids.includes('j1')], [[0, 1000, 2000], 2000, false]);
  t.same(await collectIds(() => Promise.resolve({ items: [], total: 0 }), new Set()), []);
});

test('refusalGroups groups rejected items by reason', (t) => {
  t.same(
    refusalGroups([
      refusal('j1', 'job j1 has ended'),
      refusal('j2', 'no queue'),
      refusal('j3', 'job j3 has ended'),
      { id: 'j4', ok: false, changed: false, status: 500 },
    ]),
    [
      { reason: 'job has ended', ids: ['j1', 'j3'] },
      { reason: 'no queue', ids: ['j2'] },
      { reason: 'status 500', ids: ['j4'] },
    ],
  );
  t.end();
});
