import { test } from 'tap';
import { TestFarm } from '../../../kit/test-farm.ts';

test('a product is created, replaced and deleted, with its revisions', (t) => {
  const fixture = new TestFarm();
  const madeAt = fixture.now;
  fixture.saveProduct('product.create', 'a/b');
  fixture.advance(5);
  fixture.saveProduct('product.replace', 'a/b', { title: 'New' });
  t.match(fixture.products(), [
    {
      revision: 2,
      source: 'custom',
      savedBy: 'ada',
      createdAt: madeAt,
      updatedAt: madeAt + 5,
      definition: { title: 'New' },
    },
  ]);
  t.same(fixture.answer('replace product a/b'), { ok: true, value: fixture.products()[0] });
  t.same(fixture.productRevisions('a/b'), [1, 2]);
  fixture.saveProduct('product.create', 'a');
  t.same(fixture.productRevisions('a'), [1], 'products whose names begin alike stay apart');
  fixture.deleteProduct('a/b');
  t.same(
    fixture.products().map(({ definition }) => definition.name),
    ['a'],
  );
  t.same(fixture.productRevisions('a/b'), []);
  t.same(fixture.answer('delete product a/b'), { ok: true, value: null });
  t.end();
});

test('only the last 20 revisions are kept, and all are deleted with the product', (t) => {
  const fixture = new TestFarm();
  fixture.saveProduct('product.create', 'a');
  for (let revision = 2; revision <= 45; revision += 1) fixture.saveProduct('product.replace', 'a');
  t.same(
    fixture.productRevisions('a'),
    Array.from({ length: 20 }, (_, index) => 26 + index),
  );
  fixture.deleteProduct('a');
  t.same(fixture.productRevisions('a'), []);
  fixture.saveProduct('product.create', 'a');
  t.equal(fixture.products()[0]?.revision, 1, 'a new product of the name counts from 1');
  t.end();
});

test('a name that exists, an unknown one and another source are refused', (t) => {
  const fixture = new TestFarm();
  fixture.saveProduct('product.create', 'own');
  fixture.saveProduct('product.create', 'preset', { source: 'installed' });
  fixture.saveProduct('product.create', 'own', { title: 'Again' });
  t.match(fixture.answer('create product own'), {
    problem: { kind: 'conflict', detail: /own already exists/ },
  });
  fixture.saveProduct('product.replace', 'none');
  t.match(fixture.answer('replace product none'), { problem: { kind: 'not-found' } });
  fixture.deleteProduct('none');
  t.match(fixture.answer('delete product none'), { problem: { kind: 'not-found' } });
  fixture.saveProduct('product.replace', 'preset');
  t.match(fixture.answer('replace product preset'), { problem: { kind: 'forbidden' } });
  fixture.saveProduct('product.replace', 'own', { source: 'installed' });
  t.match(fixture.answer('replace product own'), { problem: { kind: 'conflict' } });
  t.ok(
    fixture.products().every(({ revision, definition }) => revision === 1 && definition.title !== 'Again'),
  );
  t.end();
});
