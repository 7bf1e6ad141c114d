import fc from 'fast-check';
import { test } from 'tap';
import {
  attemptIdOf,
  isUuid,
  jobId,
  parseAttemptId,
  parseStepId,
  parseTaskId,
  stepIdOf,
  taskIdOf,
} from '../../../src/core/ids.ts';

const uuid = fc.uuid().map((text) => jobId(text.toLowerCase()));
const number = fc.integer({ min: 0, max: 9_999_999_999 });

test('IDs contain the IDs of their parents', (t) => {
  fc.assert(
    fc.property(uuid, number, number, number, (job, stepOrder, index, attemptNumber) => {
      const task = { jobId: job, stepOrder, index };
      t.strictSame(parseStepId(stepIdOf(job, stepOrder)), { jobId: job, stepOrder });
      t.strictSame(parseTaskId(taskIdOf(task)), task);
      t.strictSame(parseAttemptId(attemptIdOf({ ...task, attemptNumber })), { ...task, attemptNumber });
    }),
    { numRuns: 200 },
  );
  t.end();
});

const JOB = '0190f3c2-1111-7222-8333-444455556666';

test('an invalid ID is not parsed', (t) => {
  for (const bad of [
    '',
    JOB,
    `${JOB}-`,
    `${JOB}-1-`,
    `${JOB}-01`,
    `${JOB}--1`,
    `${JOB}-1.5`,
    `${JOB}-1e3`,
    ` ${JOB}-1`,
    `${JOB}-1\n`,
    `${JOB}-12345678901`,
    `${JOB.toUpperCase()}-1-A`,
    `${JOB.slice(1)}-1`,
    `${JOB}-１`,
  ]) {
    t.equal(parseStepId(bad), null, `step ${JSON.stringify(bad)}`);
    t.equal(parseTaskId(bad), null, `task ${JSON.stringify(bad)}`);
    t.equal(parseAttemptId(bad), null, `attempt ${JSON.stringify(bad)}`);
  }
  t.equal(parseStepId(`${JOB}-1-2`), null, 'a task ID is not a step ID');
  t.equal(parseTaskId(`${JOB}-1`), null, 'a step ID is not a task ID');
  t.equal(parseTaskId(`${JOB}-1-2-3`), null, 'an attempt ID is not a task ID');
  t.equal(parseAttemptId(`${JOB}-1-2`), null, 'a task ID is not an attempt ID');
  t.end();
});

test('UUIDs', (t) => {
  t.equal(isUuid(JOB), true);
  t.equal(isUuid(JOB.toUpperCase()), false, 'IDs are in lower case');
  for (const bad of ['', `${JOB}0`, JOB.replaceAll('-', ''), `{${JOB}}`, JOB.replace('0', 'g')]) {
    t.equal(isUuid(bad), false, bad);
  }
  t.end();
});
