import tap, { test } from 'tap';
import { KEY_SWEEP_ROWS } from '../../../../actors/service/idempotency/idempotency-actor.ts';
import { KEY_SWEEP } from '../../../../actors/service/idempotency/messages.ts';
import { IDEMPOTENCY_KEY_MS } from '../../../../src/core/records/idempotency-key.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { TestHouse } from '../../../kit/test-house.ts';

tap.setTimeout(240_000);

const one = [{ name: 's', tasks: 1 }];
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const rowsOf = (house: TestHouse): string[] =>
  [...house.store.scan('idempotencyKey')].map(({ key }) => key.split('/')[1] ?? '');

/** A submission with a key that came now. */
function submitOnce(house: TestHouse, digest: string): void {
  house.submit(`job ${digest}`, one, {
    once: {
      rowKey: keys.idempotencyKey(house.now, digest),
      fingerprint: `print ${digest}`,
      expiresAt: house.now + IDEMPOTENCY_KEY_MS,
    },
  });
}

test('the key is written in the commit that makes the job, with the job as it was', (t) => {
  const house = new TestHouse();
  const { now } = house;
  house.commits.length = 0;
  submitOnce(house, 'a');
  t.equal(house.commits.length, 1, 'one commit holds both');
  const row = house.store.get('idempotencyKey', keys.idempotencyKey(now, 'a'));
  t.strictSame(row, {
    version: 1,
    fingerprint: 'print a',
    expiresAt: now + DAY,
    job: house.job('job a'),
    inherited: { maxAttempts: 3, retryDelaySeconds: 10, failureLimit: 0 },
  });
  house.cancelJob('job a');
  t.equal(house.job('job a').status, 'canceled');
  const later = house.store.get('idempotencyKey', keys.idempotencyKey(now, 'a'));
  t.strictSame(later, row, 'what becomes of the job changes nothing');
  t.end();
});

test('what is lost before it reached the disk is lost with its key', (t) => {
  const house = new TestHouse();
  house.withoutFlush(() => {
    submitOnce(house, 'a');
  });
  house.restart();
  t.strictSame(rowsOf(house), []);
  t.strictSame([...house.store.scan('job')], []);
  t.end();
});

test('a submission that the farm refuses does not take up its key', (t) => {
  const house = new TestHouse();
  house.deleteQueue();
  submitOnce(house, 'a');
  t.strictSame(rowsOf(house), []);
  t.end();
});

test('keys are kept for their day, and go soon after the next has ended', (t) => {
  const house = new TestHouse();
  house.restart();
  // From noon on: the days of keys begin at midnight.
  submitOnce(house, 'noon');
  house.advance(11 * HOUR);
  submitOnce(house, 'late');
  house.advance(2 * HOUR);
  submitOnce(house, 'next day');
  house.advance(22 * HOUR + HOUR / 2);
  t.strictSame(rowsOf(house), ['late', 'noon', 'next day'], 'a day after the first two');
  house.advance(2 * HOUR);
  t.strictSame(rowsOf(house), ['next day']);
  house.advance(DAY);
  t.strictSame(rowsOf(house), []);
  t.notOk(house.isResident('idempotency', KEY_SWEEP));
  t.end();
});

test('what has expired while the service was down is swept at its start', (t) => {
  const house = new TestHouse();
  submitOnce(house, 'a');
  house.restart(3 * DAY);
  house.advance(0);
  t.strictSame(rowsOf(house), []);
  t.equal(house.job('job a').status, 'pending', 'the job has nothing to do with it');
  t.end();
});

test('a sweep goes through many keys in pieces, and leaves the others', (t) => {
  const house = new TestHouse();
  const count = 2 * KEY_SWEEP_ROWS + 7;
  for (let each = 0; each < count; each++) submitOnce(house, `old ${each}`);
  house.advance(2 * DAY);
  submitOnce(house, 'new');
  house.commits.length = 0;
  house.restart();
  house.advance(0);
  t.strictSame(rowsOf(house), ['new']);
  t.ok(house.commits.every((changes) => changes <= KEY_SWEEP_ROWS + 100));
  t.ok(house.commits.length >= 3);
  t.end();
});
