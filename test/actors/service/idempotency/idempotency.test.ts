import tap, { test } from 'tap';
import { KEY_SWEEP_ROWS } from '../../../../actors/service/idempotency/idempotency-actor.ts';
import { KEY_SWEEP } from '../../../../actors/service/idempotency/messages.ts';
import { IDEMPOTENCY_KEY_MS } from '../../../../src/core/records/idempotency-key.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

tap.setTimeout(240_000);

const one = [{ name: 's', tasks: 1 }];
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const rowsOf = (fixture: TestFarm): string[] =>
  [...fixture.store.scan('idempotencyKey')].map(({ key }) => key.split('/')[1] ?? '');

/** Submits a job with an idempotency key now. */
function submitIdempotently(fixture: TestFarm, digest: string): void {
  fixture.submit(`job ${digest}`, one, {
    once: {
      rowKey: keys.idempotencyKey(fixture.now, digest),
      fingerprint: `print ${digest}`,
      expiresAt: fixture.now + IDEMPOTENCY_KEY_MS,
    },
  });
}

test('the key is stored in the commit that creates the job, with the job as created', (t) => {
  const fixture = new TestFarm();
  const { now } = fixture;
  fixture.commits.length = 0;
  submitIdempotently(fixture, 'a');
  t.equal(fixture.commits.length, 1, 'one commit has both');
  const row = fixture.store.get('idempotencyKey', keys.idempotencyKey(now, 'a'));
  t.strictSame(row, {
    version: 1,
    fingerprint: 'print a',
    expiresAt: now + DAY,
    job: fixture.job('job a'),
    inherited: { maxAttempts: 3, retryDelaySeconds: 10, failureLimit: 0 },
  });
  fixture.cancelJob('job a');
  t.equal(fixture.job('job a').status, 'canceled');
  const later = fixture.store.get('idempotencyKey', keys.idempotencyKey(now, 'a'));
  t.strictSame(later, row, 'later changes of the job do not change it');
  t.end();
});

test('a job lost before it was durable is lost with its key', (t) => {
  const fixture = new TestFarm();
  fixture.withoutFlush(() => {
    submitIdempotently(fixture, 'a');
  });
  fixture.restart();
  t.strictSame(rowsOf(fixture), []);
  t.strictSame([...fixture.store.scan('job')], []);
  t.end();
});

test('a submission that the farm refuses stores no key', (t) => {
  const fixture = new TestFarm();
  fixture.deleteQueue();
  submitIdempotently(fixture, 'a');
  t.strictSame(rowsOf(fixture), []);
  t.end();
});

test('keys are kept for their day and deleted soon after the following day', (t) => {
  const fixture = new TestFarm();
  fixture.restart();
  // From noon on: the days of keys start at midnight.
  submitIdempotently(fixture, 'noon');
  fixture.advance(11 * HOUR);
  submitIdempotently(fixture, 'late');
  fixture.advance(2 * HOUR);
  submitIdempotently(fixture, 'next day');
  fixture.advance(22 * HOUR + HOUR / 2);
  t.strictSame(rowsOf(fixture), ['late', 'noon', 'next day'], 'a day after the first two');
  fixture.advance(2 * HOUR);
  t.strictSame(rowsOf(fixture), ['next day']);
  fixture.advance(DAY);
  t.strictSame(rowsOf(fixture), []);
  t.notOk(fixture.isResident('idempotency', KEY_SWEEP));
  t.end();
});

test('keys that expired during the downtime are deleted at the start', (t) => {
  const fixture = new TestFarm();
  submitIdempotently(fixture, 'a');
  fixture.restart(3 * DAY);
  fixture.advance(0);
  t.strictSame(rowsOf(fixture), []);
  t.equal(fixture.job('job a').status, 'pending', 'the job is unaffected');
  t.end();
});

test('a sweep deletes many keys in batches and keeps the others', (t) => {
  // Without workers, every sweep of the lease actor would visit all jobs, thousands of times in two days.
  const fixture = new TestFarm({ unschedulableGraceMs: 0, reservationAfterMs: 0 });
  const count = 2 * KEY_SWEEP_ROWS + 7;
  for (let each = 0; each < count; each++) submitIdempotently(fixture, `old ${each}`);
  fixture.advance(2 * DAY);
  submitIdempotently(fixture, 'new');
  fixture.commits.length = 0;
  fixture.restart();
  fixture.advance(0);
  t.strictSame(rowsOf(fixture), ['new']);
  t.ok(fixture.commits.every((changes) => changes <= KEY_SWEEP_ROWS + 100));
  t.ok(fixture.commits.length >= 3);
  t.end();
});
