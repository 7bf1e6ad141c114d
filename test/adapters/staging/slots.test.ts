import { test } from 'tap';
import { Semaphore } from '../../../src/adapters/staging/semaphore.ts';

interface Work {
  readonly done: Promise<string>;
  finish(): void;
}

/** Runs work in a slot until `finish` of the result is called. */
function begin(slots: Semaphore, name: string, begun: string[], signal = new AbortController().signal): Work {
  let finish = (): void => undefined;
  const end = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const done = slots
    .use(signal, async () => {
      begun.push(name);
      await end;
      return 'done';
    })
    .catch((error: unknown) => String(error));
  return { done, finish };
}

void test('work waits for a slot in order of arrival', async (t) => {
  const slots = new Semaphore(1);
  const begun: string[] = [];
  const works = ['a', 'b', 'c'].map((name) => begin(slots, name, begun));
  for (const [index, work] of works.entries()) {
    t.strictSame(begun, ['a', 'b', 'c'].slice(0, index + 1));
    work.finish();
    t.equal(await work.done, 'done');
  }
});

void test('work that is canceled before it has a slot ends immediately and takes no slot', async (t) => {
  const slots = new Semaphore(1);
  const begun: string[] = [];
  const canceled = new AbortController();
  const first = begin(slots, 'first', begun);
  const givenUp = begin(slots, 'given up', begun, canceled.signal);
  const last = begin(slots, 'last', begun);
  canceled.abort(new Error('canceled'));
  t.equal(await givenUp.done, 'Error: canceled');
  t.strictSame(begun, ['first']);
  first.finish();
  await first.done;
  last.finish();
  t.equal(await last.done, 'done');
  t.strictSame(begun, ['first', 'last']);
  t.equal(await begin(slots, 'late', begun, canceled.signal).done, 'Error: canceled');
});

void test('a slot is free again after work that failed', async (t) => {
  const slots = new Semaphore(1);
  const { signal } = new AbortController();
  const fail = (): Promise<string> => Promise.reject(new Error('no such file'));
  await t.rejects(slots.use(signal, fail), { message: 'no such file' });
  const waiting = [slots.use(signal, fail), slots.use(signal, () => Promise.resolve('done'))];
  t.match(await Promise.allSettled(waiting), [
    { status: 'rejected' },
    { status: 'fulfilled', value: 'done' },
  ]);
});
