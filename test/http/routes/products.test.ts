import { test } from 'tap';
import { put } from '../../../src/core/records/change-set.ts';
import type { ProductRecord } from '../../../src/core/records/product.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { startApi } from '../kit/api-fixture.ts';
import { T0 } from '../kit/records.ts';

const product = (name: string): ProductRecord => ({
  version: 1,
  definition: {
    name,
    title: 'T',
    description: '',
    readme: '',
    category: '',
    version: '',
    template: 'name: x',
    format: 'yaml',
  },
  source: 'custom',
  revision: 1,
  savedBy: 'ada',
  createdAt: T0,
  updatedAt: T0,
});
const BODY = { name: 'new', title: 'New', template: 'name: x' };

void test('a template without a verdict is not stored: 503, or 429 for too many of one address', async (t) => {
  const { api, client } = await startApi(t);
  api.write(put('product', keys.product('own'), product('own')));
  const rows = [
    [{ ok: false, deadline: true }, 503, /timed out/],
    [{ ok: false, busy: 'service' }, 503, /busy/],
    [{ ok: false, busy: 'client' }, 429, /of this address/],
    [{ ok: false, errors: [{ pointer: '/name', detail: 'is wrong' }] }, 422, /^\/name: is wrong$/],
  ] as const;
  for (const [description, status, detail] of rows) {
    api.description = description;
    for (const [method, path, body] of [
      ['POST', '/api/v1/products', BODY],
      ['PUT', '/api/v1/products/own', BODY],
      ['GET', '/api/v1/products/own/parameters', undefined],
    ] as const) {
      const answer = body === undefined ? await client.get(path) : await client.json(method, path, body);
      t.match(answer, { status, body: { detail } }, `${method} ${status}`);
    }
  }
  t.same(api.asked, [], 'no product was written');
});
