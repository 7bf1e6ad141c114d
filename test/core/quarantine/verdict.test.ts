import { test } from 'tap';
import {
  NO_EVIDENCE,
  EVIDENCE_STEPS_MAX,
  STREAK_MAX,
  withFailure,
  withQuarantine,
  withSuccesses,
  withVerdict,
} from '../../../src/core/quarantine/evidence.ts';
import {
  doubtsOf,
  isConvictedAsWhole,
  nextSuspicionEnd,
  oddsInStep,
  quarantineAsWhole,
  shareOfOthers,
  SUSPICION_MS,
} from '../../../src/core/quarantine/verdict.ts';
import { jobId } from '../../../src/core/ids.ts';
import type { OtherAttempts, WorkerEvidenceRecord } from '../../../src/core/records/worker-evidence.ts';

const NOW = 1_800_000_000_000;
const FEW: OtherAttempts = { failed: 0, succeeded: 5 };
const task = (job: string, index: number) => ({ jobId: jobId(job), stepOrder: 0, index });

/** Evidence of tasks of the jobs that failed on the worker, one after the other. */
const failing = (jobs: readonly string[], others = FEW): WorkerEvidenceRecord =>
  jobs.reduce(
    (evidence, job, index) => withFailure(evidence, task(job, index), 'open', others, NOW + index),
    NO_EVIDENCE,
  );

/** The same after the tasks have succeeded elsewhere. */
const refuted = (jobs: readonly string[], others = FEW): WorkerEvidenceRecord =>
  jobs.reduce(
    (evidence, job, index) => withVerdict(evidence, task(job, index), 'elsewhere', others, NOW + 10, 3),
    failing(jobs, others),
  );

test('two failures of a step that are open are suspect, one is not', (t) => {
  t.same(doubtsOf(failing(['a']), NOW + 1), { whole: null, steps: [] });
  t.match(doubtsOf(failing(['a', 'a']), NOW + 1), {
    whole: null,
    steps: [
      { jobId: 'a', stepOrder: 0, kind: 'suspected', since: NOW + 1, reason: /^2 tasks have failed on it/ },
    ],
  });
  t.end();
});

test('a suspicion ends by itself, and does not begin before its failures', (t) => {
  const evidence = failing(['a', 'a']);
  const end = NOW + 1 + SUSPICION_MS;
  t.equal(doubtsOf(evidence, end - 1).steps.length, 1);
  t.equal(doubtsOf(evidence, end).steps.length, 0);
  t.equal(doubtsOf(evidence, NOW).steps.length, 0, 'the clock was set back');
  t.equal(nextSuspicionEnd(evidence, NOW + 1), end);
  t.equal(nextSuspicionEnd(evidence, end), null);
  t.end();
});

test('three tasks that succeed elsewhere put the worker in quarantine for the step', (t) => {
  const evidence = refuted(['a', 'a', 'a']);
  t.match(evidence.steps, [
    {
      open: 0,
      elsewhere: 3,
      quarantine: {
        since: NOW + 10,
        policyVersion: 3,
        reason:
          '3 tasks of the step failed on it and succeeded elsewhere; of 5 attempts on other workers 0 failed',
      },
    },
  ]);
  const later = NOW + 100 * SUSPICION_MS;
  t.match(doubtsOf(evidence, later).steps, [{ kind: 'quarantined', since: NOW + 10 }], 'it does not end');
  t.notOk(isConvictedAsWhole(evidence), 'for one step only');
  t.end();
});

test('two failures are never enough for a quarantine, and an open one does not count', (t) => {
  for (let succeeded = 0; succeeded < 3000; succeeded++)
    if (refuted(['a', 'a'], { failed: 0, succeeded }).steps[0]?.quarantine !== undefined)
      t.fail(`two failures, with ${succeeded} successes of others`);
  let made = failing(['a', 'a', 'a']);
  for (const index of [0, 1]) made = withVerdict(made, task('a', index), 'elsewhere', FEW, NOW + 10, 3);
  t.match(made.steps, [{ open: 1, elsewhere: 2 }]);
  t.equal(made.steps[0]?.quarantine, undefined);
  t.match(doubtsOf(made, NOW + 10).steps, [{ kind: 'suspected' }]);
  t.end();
});

test('failures in a step that also fails elsewhere do not count', (t) => {
  const others = { failed: 30, succeeded: 20 };
  const evidence = refuted(['a', 'a', 'a'], others);
  t.same(doubtsOf(evidence, NOW + 10), { whole: null, steps: [] });
  t.ok(evidence.steps.every((step) => oddsInStep(step, 'known') < 2));
  const everywhere = ['a', 'a', 'a'].reduce(
    (made, job, index) => withVerdict(made, task(job, index), 'everywhere', FEW, NOW + 10, 3),
    failing(['a', 'a', 'a']),
  );
  t.match(everywhere, { streak: [], steps: [{ open: 0, elsewhere: 0, everywhere: 3 }] });
  t.same(doubtsOf(everywhere, NOW + 10), { whole: null, steps: [] });
  t.end();
});

test('a step in which attempts fail by chance needs more failures', (t) => {
  const flaky = { failed: 40, succeeded: 960 };
  const inStep = (failures: number) =>
    refuted(
      Array.from({ length: failures }, () => 'a'),
      flaky,
    ).steps[0];
  t.equal(inStep(2)?.quarantine, undefined);
  t.equal(inStep(3)?.quarantine, undefined);
  t.not(inStep(4)?.quarantine, undefined);
  t.equal(shareOfOthers(flaky), 40.1 / 1010);
  t.end();
});

test('successes end a streak, and outweigh failures of their step', (t) => {
  const two = failing(['a', 'a']);
  const once = withSuccesses(two, [task('a', 7)]);
  t.match(once, { streak: [], steps: [{ open: 2, successes: 1 }] });
  const often = withSuccesses(
    once,
    Array.from({ length: 5 }, () => task('a', 8)),
  );
  t.match(often, { steps: [{ open: 0, elsewhere: 0, successes: 0 }] }, 'the failures are forgiven');
  t.equal(
    withVerdict(often, task('a', 0), 'elsewhere', FEW, NOW, 3),
    often,
    'a late verdict changes nothing',
  );
  const elsewhere = withSuccesses(failing(['a', 'b', 'c']), [task('d', 1)]);
  t.same(elsewhere.streak, [], 'a success in another step ends the streak');
  t.equal(withSuccesses(NO_EVIDENCE, [task('a', 0)]), NO_EVIDENCE);
  t.end();
});

test('three failures in a row of two jobs are suspect, and a quarantine as a whole if they succeed elsewhere', (t) => {
  t.equal(doubtsOf(failing(['a', 'a', 'a']), NOW + 3).whole, null, 'one job');
  t.equal(doubtsOf(failing(['a', 'b']), NOW + 3).whole, null, 'two failures');
  const three = failing(['a', 'a', 'b']);
  t.match(doubtsOf(three, NOW + 3).whole, { kind: 'suspected', reason: /^3 tasks of 2 jobs have failed/ });
  t.notOk(isConvictedAsWhole(three));
  const known = refuted(['a', 'a', 'b']);
  t.ok(isConvictedAsWhole(known));
  const quarantine = quarantineAsWhole(known, NOW + 20, 4);
  t.same(quarantine, {
    since: NOW + 20,
    reason: 'its last 3 tasks, of 2 jobs, failed on it and succeeded elsewhere',
    policyVersion: 4,
  });
  t.match(doubtsOf(withQuarantine(known, quarantine), NOW + 1e9).whole, {
    kind: 'quarantined',
    since: NOW + 20,
  });
  t.end();
});

test('evidence is bounded, and old evidence is forgotten', (t) => {
  const many = failing(Array.from({ length: EVIDENCE_STEPS_MAX + 5 }, (_, number) => `job${number}`));
  t.equal(many.steps.length, EVIDENCE_STEPS_MAX);
  t.equal(many.streak.length, STREAK_MAX);
  const dayLater = NOW + 25 * 3_600_000;
  const next = withFailure(refuted(['a', 'a', 'a']), task('b', 0), 'open', FEW, dayLater);
  t.same(
    next.steps.map((step) => step.jobId),
    ['a', 'b'],
    'a quarantine is not forgotten',
  );
  const forgotten = withFailure(failing(['a']), task('b', 0), 'open', FEW, dayLater);
  t.same(
    forgotten.steps.map((step) => step.jobId),
    ['b'],
  );
  t.end();
});
