import { test } from 'tap';
import { jobId, workerId } from '../../../src/core/ids.ts';
import { Reservations, type Reservation } from '../../../src/core/lease/reservations.ts';

const [A, B, C] = [workerId('a'), workerId('b'), workerId('c')] as const;
const forJob = (job: string): Reservation => ({ jobId: jobId(job), stepOrder: 0, since: 1 });
const workersOf = (reservations: Reservations): readonly string[] => reservations.list().map(([id]) => id);

test('reserved workers are in the order of their ids, however they came to be reserved', (t) => {
  const reservations = new Reservations();
  for (const [at, worker] of [C, A, B].entries()) reservations.set(worker, forJob(`j${at}`));
  t.strictSame(workersOf(reservations), [A, B, C]);
  reservations.delete(A);
  reservations.set(A, forJob('j9'));
  t.strictSame(workersOf(reservations), [A, B, C]);
  reservations.delete(C);
  reservations.delete(C);
  t.strictSame(workersOf(reservations), [A, B]);
  t.equal(reservations.size, 2);
  t.end();
});

test('a worker is reserved for one step, and a step has one worker', (t) => {
  const reservations = new Reservations();
  reservations.set(A, forJob('j'));
  reservations.set(B, forJob('j'));
  t.strictSame(workersOf(reservations), [B]);
  t.equal(reservations.workerFor(forJob('j')), B);
  reservations.set(B, forJob('k'));
  t.equal(reservations.workerFor(forJob('j')), undefined);
  t.equal(reservations.workerFor(forJob('k')), B);
  t.notOk(reservations.has(A));
  t.strictSame(reservations.get(B), forJob('k'));
  t.end();
});

test('steps whose reservations have changed are returned once', (t) => {
  const reservations = new Reservations();
  t.notOk(reservations.hasChanged);
  reservations.set(A, forJob('j'));
  t.ok(reservations.hasChanged);
  t.strictSame(reservations.takeChanged(), [{ jobId: jobId('j'), stepOrder: 0 }]);
  t.strictSame(reservations.takeChanged(), []);
  reservations.delete(A);
  t.strictSame(reservations.takeChanged(), [{ jobId: jobId('j'), stepOrder: 0 }]);
  t.end();
});
