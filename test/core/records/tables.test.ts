import fc from 'fast-check';
import { test } from 'tap';
import { farmId, jobId } from '../../../src/core/ids.ts';
import {
  dayOfIdempotencyKey,
  endedJobOfKey,
  keys,
  lastNumberOfKey,
  TABLE_NAMES,
} from '../../../src/core/records/tables.ts';

const JOB = jobId('0190f3c2-1111-7222-8333-444455556666');
const FARM = farmId('0190f3c2-0000-7222-8333-444455556666');

test('keys have exactly this text', (t) => {
  const task = { jobId: JOB, stepOrder: 2, index: 33 };
  t.equal(keys.step(JOB, 2), `${JOB}/00002`);
  t.equal(keys.taskPage(JOB, 2, 1), `${JOB}/00002/0000000001`);
  t.equal(keys.taskPageOf(task), `${JOB}/00002/0000000001`, 'the page that contains task 33');
  t.equal(keys.taskText(task), `${JOB}/00002/0000000033`);
  t.equal(keys.attempt(task, 4), `${JOB}/00002/0000000033/0000004`);
  t.equal(keys.activeJob(FARM, JOB), `${FARM}/${JOB}`);
  t.equal(keys.workerOrdinal(FARM, 12), `${FARM}/0000000012`);
  t.end();
});

test('keys are in the order of their numbers', (t) => {
  const address = fc.record({
    stepOrder: fc.nat(99_999),
    index: fc.nat(4_000_000_000),
    attemptNumber: fc.nat(9_999_999),
  });
  type Address = { stepOrder: number; index: number; attemptNumber: number };
  const key = ({ stepOrder, index, attemptNumber }: Address): string =>
    keys.attempt({ jobId: JOB, stepOrder, index }, attemptNumber);
  fc.assert(
    fc.property(address, address, (a, b) => {
      const byNumber = a.stepOrder - b.stepOrder || a.index - b.index || a.attemptNumber - b.attemptNumber;
      const byKey = key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
      return Math.sign(byNumber) === byKey;
    }),
  );
  t.end();
});

test('a prefix matches exactly the keys of its parent', (t) => {
  const task = { jobId: JOB, stepOrder: 1, index: 3 };
  t.ok(keys.attempt(task, 1).startsWith(keys.attemptsOf(task)));
  t.notOk(
    keys.attempt({ ...task, index: 31 }, 1).startsWith(keys.attemptsOf(task)),
    'task 31 does not match task 3',
  );
  t.ok(keys.taskPage(JOB, 1, 7).startsWith(keys.taskPagesOf(JOB, 1)));
  t.notOk(keys.taskPage(JOB, 10, 7).startsWith(keys.taskPagesOf(JOB, 1)), 'step 10 does not match step 1');
  t.ok(keys.step(JOB, 1).startsWith(keys.stepsOf(JOB)));
  t.ok(keys.taskText(task).startsWith(keys.taskTextsOf(JOB)));
  t.ok(keys.activeJob(FARM, JOB).startsWith(keys.activeJobsOf(FARM)));
  t.ok(keys.workerOrdinal(FARM, 1).startsWith(keys.workerOrdinalsOf(FARM)));
  t.end();
});

test('returns the number at the end of a key', (t) => {
  t.equal(lastNumberOfKey(keys.taskPage(JOB, 2, 31_249)), 31_249);
  t.equal(lastNumberOfKey(keys.workerOrdinal(FARM, 0)), 0);
  t.end();
});

test('ended jobs are in the order in which they ended, completed ones separately', (t) => {
  const completed = keys.endedJob(FARM, 'completed', 1_795_000_000_000, JOB);
  t.equal(completed, `${FARM}/completed/001795000000000/${JOB}`);
  t.equal(keys.endedJob(FARM, 'failed', 7, JOB), `${FARM}/failed/000000000000007/${JOB}`);
  t.equal(keys.endedJob(FARM, 'canceled', 7, JOB), `${FARM}/failed/000000000000007/${JOB}`);
  t.strictSame(endedJobOfKey(completed), { farmId: FARM, endedAt: 1_795_000_000_000, jobId: JOB });
  t.equal(endedJobOfKey(keys.endedJobsOf(FARM, 'failed')).farmId, FARM, 'of a key prefix');
  t.ok(keys.endedJobsOf(FARM, 'failed') < keys.afterEndedJobs(FARM));
  t.ok(
    keys.afterEndedJobs(FARM) < keys.endedJobsOf(farmId('0190f3c2-0000-7222-8333-444455556667'), 'completed'),
  );
  t.end();
});

test('idempotency keys are in the order of their days', (t) => {
  const noon = Date.UTC(2026, 10, 20, 12);
  t.equal(keys.idempotencyKey(noon, 'digest'), '0020777/digest');
  t.equal(keys.idempotencyKeyBefore(noon, 'digest'), '0020776/digest');
  t.equal(keys.idempotencyKey(Date.UTC(2026, 10, 21) - 1, 'digest'), '0020777/digest');
  t.equal(keys.idempotencyKey(Date.UTC(2026, 10, 21), 'digest'), '0020778/digest');
  t.equal(dayOfIdempotencyKey('0020777/digest'), 20_777);
  t.end();
});

test('the numbers of tables in a change set never change', (t) => {
  t.strictSame(
    [...TABLE_NAMES],
    [
      'farm',
      'queue',
      'job',
      'plan',
      'template',
      'step',
      'taskPage',
      'taskText',
      'attempt',
      'worker',
      'booking',
      'workerOrdinal',
      'activeJob',
      'usagePool',
      'computeLocation',
      'stepFailures',
      'workerFailures',
      'endedJob',
      'doomedJob',
      'idempotencyKey',
      'storageLocation',
      'comingJob',
      'farmSample',
      'user',
      'username',
      'session',
      'apiKey',
      'userApiKey',
      'auditEntry',
      'product',
      'productRevision',
      'joinToken',
      'workerCredential',
      'webhook',
      'webhookDelivery',
      'webhookEvent',
      'notice',
      'taskOutput',
      'workerAttempt',
      'queueEnvironment',
      'taskRules',
      'shareUsage',
      'workerEvidence',
      'farmOutages',
      'auditDecision',
      'waitingStep',
    ],
  );
  t.end();
});
