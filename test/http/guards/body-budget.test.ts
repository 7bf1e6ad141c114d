import { test } from 'tap';
import { BodyBudget } from '../../../http/guards/body-budget.ts';

void test('a client has its share of the memory, and all clients the total', (t) => {
  const budget = new BodyBudget({ perClient: 10, total: 15 });
  const first = budget.open('a');
  const second = budget.open('a');
  const other = budget.open('b');
  t.equal(first.grow(6), true);
  t.equal(second.grow(5), false);
  t.equal(second.exceeded, 'client');
  t.equal(second.grow(4), true);
  t.equal(other.grow(6), false);
  t.equal(other.exceeded, 'total');
  t.equal(other.grow(5), true);
  t.equal(budget.total, 15);
  t.equal(first.grow(-2), true);
  t.equal(budget.total, 13);
  t.equal(first.grow(2), true);

  first.release();
  t.equal(budget.total, 9);
  t.equal(first.grow(1), false, 'a released share takes nothing');
  first.release();
  t.equal(budget.total, 9, 'a share is released once');
  t.equal(other.grow(5), true);
  second.release();
  other.release();
  t.equal(budget.total, 0);
  t.equal(budget.open('a').grow(10), true);
  t.end();
});

void test('large bodies leave a part of the total to small ones', (t) => {
  const budget = new BodyBudget({ perClient: 1_000_000, total: 800_000 });
  t.equal(budget.open('a').grow(700_000), true);
  const large = budget.open('b');
  t.equal(large.grow(65_536), true);
  t.equal(large.grow(1), false);
  t.equal(large.exceeded, 'total');
  const small = budget.open('b');
  t.equal(small.grow(34_464), true, 'a small body may use all');
  t.equal(budget.total, 800_000);
  t.equal(budget.open('c').grow(1), false);
  t.end();
});
