import { test } from 'tap';
import { LONG_MS, TemplateQueue, type Taken } from '../../../daemons/server/template-queue.ts';

const queueOf = (threads: number): TemplateQueue<string> =>
  new TemplateQueue({ threads, waiting: 100, waitingPerClient: 50 });

/** Takes everything that may run. */
function taken(queue: TemplateQueue<string>): Taken<string>[] {
  const items: Taken<string>[] = [];
  for (let next = queue.take(); next !== null; next = queue.take()) items.push(next);
  return items;
}

const names = (items: readonly Taken<string>[]): string[] => items.map(({ item }) => item);

/** Runs one item after another on one thread and returns their order. */
function orderOf(queue: TemplateQueue<string>, tookMs: number): string[] {
  const order: string[] = [];
  for (let next = queue.take(); next !== null; next = queue.take()) {
    order.push(next.item);
    next.finished(tookMs);
  }
  return order;
}

void test('clients take turns, and items of one client keep their order', (t) => {
  const queue = queueOf(1);
  for (const item of ['a1', 'a2', 'a3', 'a4']) queue.add('a', item);
  for (const item of ['b1', 'b2']) queue.add('b', item);
  queue.add('c', 'c1');
  t.same(orderOf(queue, LONG_MS), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  t.end();
});

void test('a client that comes later is served before one that was just served', (t) => {
  const queue = queueOf(1);
  for (const item of ['a1', 'a2', 'a3']) queue.add('a', item);
  const first = queue.take();
  t.equal(first?.item, 'a1');
  queue.add('b', 'b1');
  first?.finished(LONG_MS);
  t.equal(queue.take()?.item, 'b1');
  t.end();
});

void test('a client with long evaluations leaves a thread to others', (t) => {
  const queue = queueOf(3);
  for (const item of ['a1', 'a2', 'a3', 'a4']) queue.add('a', item);
  const running = taken(queue);
  t.same(names(running), ['a1', 'a2'], 'a new client may have long ones');
  queue.add('b', 'b1');
  t.same(names(taken(queue)), ['b1']);
  running[0]?.finished(LONG_MS);
  t.same(names(taken(queue)), ['a3'], 'two at a time');
  t.end();
});

void test('a client with short evaluations may use all threads', (t) => {
  const queue = queueOf(2);
  for (const item of ['a1', 'a2', 'a3', 'a4', 'a5']) queue.add('a', item);
  const [first] = taken(queue);
  first?.finished(LONG_MS - 1);
  const both = taken(queue);
  t.same(names(both), ['a2', 'a3']);
  for (const each of both) each.finished(LONG_MS);
  t.same(names(taken(queue)), ['a4'], 'until one was long');
  t.end();
});

void test('one thread serves every client', (t) => {
  const queue = queueOf(1);
  queue.add('a', 'a1');
  t.same(names(taken(queue)), ['a1']);
  t.end();
});

void test('the places of a client and of the queue are limited', (t) => {
  const queue = new TemplateQueue<string>({ threads: 1, waiting: 3, waitingPerClient: 2 });
  t.same(
    [queue.add('a', 'a1'), queue.add('a', 'a2'), queue.add('a', 'a3')],
    ['waiting', 'waiting', 'client'],
  );
  t.equal(queue.add('b', 'b1'), 'waiting');
  t.equal(queue.add('c', 'c1'), 'service');
  t.equal(queue.withdraw('a', 'a1'), true);
  t.equal(queue.withdraw('a', 'a1'), false, 'an item is withdrawn once');
  t.equal(queue.add('c', 'c1'), 'waiting');
  t.same(names(taken(queue)), ['a2'], 'a withdrawn item does not run');
  t.equal(queue.withdraw('a', 'a2'), false, 'a running item stays');
  t.end();
});
