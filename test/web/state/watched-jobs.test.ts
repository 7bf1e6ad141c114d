import { test } from 'tap';
import {
  asWatchedJobs,
  endedOf,
  endingText,
  isEnding,
  notWatching,
  WATCHED_MAX,
  watching,
} from '../../../web/state/watched-jobs.ts';

const A = { id: 'a', name: 'Sequence 010' };
const B = { id: 'b', name: 'Sequence 020' };

test('a job is watched once, under its latest name, until it is removed', (t) => {
  t.strictSame(watching([A, B], { id: 'a', name: 'renamed' }), [B, { id: 'a', name: 'renamed' }]);
  t.strictSame(notWatching([A, B], 'a'), [B]);
  t.strictSame(notWatching([A], 'x'), [A]);
  t.end();
});

test('the oldest job is removed beyond the limit', (t) => {
  const many = Array.from({ length: WATCHED_MAX }, (_unused, index) => ({ id: `${index}`, name: 'n' }));
  const after = watching(many, A);
  t.equal(after.length, WATCHED_MAX);
  t.strictSame(after.at(0)?.id, '1');
  t.strictSame(after.at(-1), A);
  t.end();
});

test('invalid stored values are rejected', (t) => {
  t.equal(asWatchedJobs(null), null);
  t.equal(asWatchedJobs({ id: 'a' }), null);
  t.strictSame(asWatchedJobs([A, null, 3, { id: 1, name: 'x' }, { id: 'c' }, B]), [A, B]);
  t.equal(asWatchedJobs(Array.from({ length: 500 }, () => A))?.length, WATCHED_MAX);
  t.end();
});

test('a watched job ends once', (t) => {
  const told = [
    { job_id: 'a', status: 'running' },
    { job_id: 'x', status: 'completed' },
    { job_id: 'b', status: 'failed' },
    { job_id: 'b', status: 'canceled' },
    { job_id: 'a', status: 'removed' },
  ] as const;
  t.strictSame(endedOf([A, B], told), [
    { ...B, ending: 'failed' },
    { ...A, ending: 'removed' },
  ]);
  t.strictSame(endedOf([], told), []);
  t.end();
});

test('a parked or waiting job has not ended', (t) => {
  for (const status of ['pending', 'blocked', 'paused', 'running', 'archived', ''])
    t.equal(isEnding(status), false, status);
  for (const status of ['completed', 'failed', 'canceled', 'removed'])
    t.equal(isEnding(status), true, status);
  t.end();
});

test('the notification isolates a right-to-left name', (t) => {
  t.equal(endingText({ ...A, ending: 'completed' }), '\u2068Sequence 010\u2069 is completed');
  t.equal(endingText({ id: 'r', name: '\u202Egpj', ending: 'failed' }), '\u2068\u202Egpj\u2069 has failed');
  t.end();
});
