import { test } from 'tap';
import { readContract, type Node } from '../../../http/openapi/contract.ts';
import { SchemaSet } from '../../../http/openapi/schema-set.ts';

const SCHEMA: Node = {
  type: 'object',
  required: ['ids', 'name'],
  properties: {
    ids: { type: 'array', items: { type: 'string' } },
    name: { type: 'string' },
    limit: { type: 'integer', default: 5 },
  },
};

const ids = (count: number): number[] => Array.from({ length: count }, () => 1);

void test('lists several errors of a small value, up to a limit', (t) => {
  const check = new SchemaSet(readContract()).check(SCHEMA, '/body');
  t.strictSame(check({ ids: ['a', 1, 2] }), [
    { pointer: '/body/name', detail: 'is required' },
    { pointer: '/body/ids/1', detail: 'must be string' },
    { pointer: '/body/ids/2', detail: 'must be string' },
  ]);
  t.equal(check({ ids: ids(100), name: 'n' }).length, 20);
  const filled = { ids: [], name: 'n' };
  t.strictSame(check(filled), []);
  t.strictSame(filled, { ids: [], name: 'n', limit: 5 });
  t.end();
});

void test('reports only the first error of a very large value', (t) => {
  const check = new SchemaSet(readContract()).check(SCHEMA);
  t.strictSame(check({ ids: ids(20_000), name: 'n' }), [{ pointer: '/ids/0', detail: 'must be string' }]);
  t.strictSame(check({ name: 'n', ids: [], more: ids(20_000).map((each) => [each]), limit: 'x' }), [
    { pointer: '/limit', detail: 'must be integer' },
  ]);
  t.strictSame(check({ ids: Array.from({ length: 20_000 }, String), name: 'n' }), []);
  t.end();
});
