import { test } from 'tap';
import { NO_EVIDENCE, withFailure, withVerdict } from '../../../../src/core/quarantine/evidence.ts';
import { isConvictedAsWhole, SUSPICION_MS } from '../../../../src/core/quarantine/verdict.ts';
import { put } from '../../../../src/core/records/change-set.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import type { WorkerEvidenceRecord } from '../../../../src/core/records/worker-evidence.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const evidenceOf = (farm: TestFarm, name: string): WorkerEvidenceRecord | undefined =>
  farm.store.get('workerEvidence', keys.workerEvidence(farm.worker(name).id));

const RETRY = { retry: { maxAttempts: 3, retryDelaySeconds: 0 } };

/** A farm with quarantine, workers of one core and jobs of many tasks, the first job first. */
function farmWith(workers: readonly string[], jobs: readonly string[], quarantine = true): TestFarm {
  const farm = new TestFarm({ heartbeatTimeoutMs: 1e12, staleAssignedMs: 1e12, leaseHoldMs: 1e12 });
  farm.replaceFarm({ quarantine });
  for (const name of workers) farm.register(name, { cpu_count: 1 });
  for (const job of jobs) farm.submit(job, [{ name: 's', tasks: 20, needs: { cores: 1 } }], RETRY);
  farm.takeOutputs();
  return farm;
}

/** Leases a task for the worker and returns it, such as `A/0/3`; null if the request is parked. */
function taken(farm: TestFarm, worker: string): string | null {
  farm.takeOutputs();
  farm.lease(worker);
  const line = farm.takeOutputs().find((each) => each.startsWith(`lease ${worker}: `));
  return line === undefined ? null : (/: (.*)#/.exec(line)?.[1] ?? null);
}

/** Leases a task for the worker, which fails or succeeds. Returns the task, or null. */
function works(farm: TestFarm, worker: string, status: 'failed' | 'succeeded'): string | null {
  const word = taken(farm, worker);
  if (word !== null) farm.report(word, status, { from: worker, exitCode: 1 });
  return word;
}

for (const isCold of [false, true]) {
  const restart = (farm: TestFarm): void => {
    if (isCold) farm.restart();
  };

  test(`a worker is kept from a step that fails on it and succeeds elsewhere, restarted in between: ${isCold}`, (t) => {
    const farm = farmWith(['bad', 'good'], ['A', 'B']);
    t.equal(works(farm, 'bad', 'failed'), 'A/0/0');
    restart(farm);
    t.equal(works(farm, 'bad', 'failed'), 'A/0/1');
    restart(farm);
    t.match(evidenceOf(farm, 'bad'), { steps: [{ open: 2, elsewhere: 0 }], quarantine: null });
    t.equal(taken(farm, 'bad'), 'B/0/0', 'it is suspected for the step of A, and gets the next job');
    t.match(farm.explain('A/0/2').workers, {
      eligible: 1,
      doubted: [{ kind: 'suspected', isWhole: false }],
    });
    t.equal(works(farm, 'good', 'succeeded'), 'A/0/0');
    t.equal(works(farm, 'good', 'succeeded'), 'A/0/1');
    restart(farm);
    t.match(evidenceOf(farm, 'bad')?.steps, [{ open: 0, elsewhere: 2 }]);
    t.notOk(evidenceOf(farm, 'bad')?.steps[0]?.quarantine, 'two may fail by chance');
    farm.report('B/0/0', 'succeeded', { from: 'bad' });
    t.equal(works(farm, 'bad', 'succeeded'), 'B/0/1', 'it is still suspected');
    farm.advance(SUSPICION_MS);
    restart(farm);
    t.equal(works(farm, 'bad', 'failed'), 'A/0/2');
    t.equal(works(farm, 'good', 'succeeded'), 'A/0/2');
    t.match(evidenceOf(farm, 'bad'), {
      steps: [{ open: 0, elsewhere: 3, quarantine: { policyVersion: 1, since: farm.now } }],
    });
    farm.advance(2 * SUSPICION_MS);
    restart(farm);
    t.equal(works(farm, 'bad', 'succeeded'), 'B/0/2', 'a quarantine does not end by itself');
    t.match(farm.explain('A/0/3').workers.doubted, [{ kind: 'quarantined', isWhole: false }]);
    farm.expectInvariants(t, 'in quarantine for a step');
    farm.liftQuarantine('bad');
    t.same(farm.answer('lift bad'), { ok: true, value: null });
    t.equal(evidenceOf(farm, 'bad'), undefined);
    restart(farm);
    t.equal(taken(farm, 'bad'), 'A/0/3', 'lifted');
    farm.expectInvariants(t, 'lifted');
    t.end();
  });

  test(`a worker that fails tasks of several jobs is put in quarantine as a whole, restarted: ${isCold}`, (t) => {
    const farm = farmWith(['bad', 'good', 'other'], ['A', 'B', 'C']);
    works(farm, 'bad', 'failed');
    works(farm, 'bad', 'failed');
    restart(farm);
    t.equal(works(farm, 'bad', 'failed'), 'B/0/0');
    restart(farm);
    t.equal(taken(farm, 'bad'), null, 'suspected as a whole after three failures');
    t.match(farm.explain('C/0/0').workers, { doubted: [{ kind: 'suspected', isWhole: true }] });
    for (const word of ['A/0/0', 'A/0/1']) t.equal(works(farm, 'good', 'succeeded'), word);
    t.equal(evidenceOf(farm, 'bad')?.quarantine, null);
    restart(farm);
    while (works(farm, 'good', 'succeeded') !== 'B/0/0');
    t.match(evidenceOf(farm, 'bad')?.quarantine, {
      since: farm.now,
      policyVersion: 1,
      reason: 'its last 3 tasks, of 2 jobs, failed on it and succeeded elsewhere',
    });
    farm.advance(2 * SUSPICION_MS);
    restart(farm);
    t.equal(taken(farm, 'bad'), null);
    t.match(farm.explain('C/0/0').workers, { online: 2, doubted: [{ kind: 'quarantined', isWhole: true }] });
    farm.expectInvariants(t, 'in quarantine');
    farm.liftQuarantine('bad');
    t.equal(farm.task('B/0/1').status, 'assigned', 'the parked request is served');
    farm.expectInvariants(t, 'lifted');
    t.end();
  });
}

test('a suspicion ends after ten minutes, and the parked request is served', (t) => {
  const farm = farmWith(['bad', 'good'], ['A']);
  works(farm, 'bad', 'failed');
  works(farm, 'bad', 'failed');
  t.equal(taken(farm, 'bad'), null);
  farm.advance(SUSPICION_MS - 1);
  t.equal(farm.task('A/0/2').status, 'ready');
  farm.advance(1);
  t.equal(farm.task('A/0/2').status, 'assigned');
  t.end();
});

test('a worker that no other can replace is kept from nothing', (t) => {
  const farm = farmWith(['bad', 'good'], ['A']);
  works(farm, 'bad', 'failed');
  works(farm, 'bad', 'failed');
  t.equal(taken(farm, 'bad'), null);
  farm.disableWorker('good');
  t.not(farm.bookedCores('bad'), 0, 'the only worker that is left gets the task');
  farm.expectInvariants(t, 'alone');
  t.end();
});

test('a job that fails everywhere puts no worker in quarantine', (t) => {
  const names = Array.from({ length: 12 }, (_, number) => `w${number}`);
  const farm = farmWith(names, ['A', 'B', 'C']);
  for (let round = 0; round < 12; round++) for (const name of names) works(farm, name, 'failed');
  for (const name of names) {
    const evidence = evidenceOf(farm, name);
    t.equal(evidence?.quarantine ?? null, null, name);
    t.notOk(
      evidence?.steps.some(({ quarantine }) => quarantine !== undefined),
      name,
    );
  }
  farm.expectInvariants(t, 'failing everywhere');
  t.end();
});

/** Evidence that is enough for a quarantine as a whole. */
function damning(farm: TestFarm): WorkerEvidenceRecord {
  const others = { failed: 0, succeeded: 50 };
  const tasks = ['A', 'A', 'B', 'B'].map((name, index) => ({
    jobId: farm.job(name).id,
    stepOrder: 0,
    index,
  }));
  return tasks.reduce(
    (made, task) =>
      withVerdict(withFailure(made, task, 'open', others, farm.now), task, 'elsewhere', others, farm.now, 1),
    NO_EVIDENCE,
  );
}

test('if more than a tenth of the workers are in doubt, none is put in quarantine as a whole', (t) => {
  const farm = farmWith(['one', 'two', 'good'], ['A', 'B', 'C', 'D']);
  const rows = ['one', 'two'].map((name) =>
    put('workerEvidence', keys.workerEvidence(farm.worker(name).id), damning(farm)),
  );
  farm.write(rows);
  farm.restart();
  for (const name of ['one', 'two']) {
    const evidence = evidenceOf(farm, name);
    t.ok(evidence !== undefined && isConvictedAsWhole(evidence), `the evidence about ${name} is enough`);
    t.equal(evidence?.quarantine, null);
  }
  t.equal(taken(farm, 'one'), 'C/0/0', 'two suspects of three workers: only the quarantines for steps count');
  farm.expectInvariants(t, 'two suspects');
  farm.liftQuarantine('one');
  t.not(evidenceOf(farm, 'two')?.quarantine, null, 'the only one that is left');
  farm.expectInvariants(t, 'one suspect');
  t.end();
});

test('a failure is open until its task ends, on however many workers it has failed', (t) => {
  const farm = farmWith(['one', 'two', 'good'], ['A']);
  t.equal(works(farm, 'one', 'failed'), 'A/0/0');
  t.equal(works(farm, 'two', 'failed'), 'A/0/0');
  farm.restart();
  for (const name of ['one', 'two'])
    t.match(evidenceOf(farm, name), {
      streak: [{ isElsewhere: false }],
      steps: [{ open: 1, elsewhere: 0, others: { failed: 1, succeeded: 0 } }],
    });
  t.equal(works(farm, 'good', 'succeeded'), 'A/0/0');
  for (const name of ['one', 'two'])
    t.match(evidenceOf(farm, name), { streak: [{ isElsewhere: true }], steps: [{ open: 0, elsewhere: 1 }] });
  for (const name of ['one', 'two', 'good']) t.equal(works(farm, name, 'failed'), 'A/0/1');
  t.match(evidenceOf(farm, 'one')?.steps, [{ open: 0, elsewhere: 1, everywhere: 1 }]);
  t.match(evidenceOf(farm, 'good'), { streak: [], steps: [{ open: 0, elsewhere: 0, everywhere: 1 }] });
  farm.expectInvariants(t, 'judged');
  t.end();
});

test('without the setting there is no evidence, and turning it off forgets all', (t) => {
  const off = farmWith(['bad', 'good'], ['A'], false);
  for (let round = 0; round < 5; round++) t.not(works(off, 'bad', 'failed'), null);
  t.equal(evidenceOf(off, 'bad'), undefined);
  off.liftQuarantine('bad');
  t.match(off.answer('lift bad'), { ok: false, problem: { kind: 'conflict' } });

  const farm = farmWith(['bad', 'good'], ['A', 'B']);
  works(farm, 'bad', 'failed');
  works(farm, 'bad', 'failed');
  farm.replaceFarm({ quarantine: false });
  t.equal(evidenceOf(farm, 'bad'), undefined);
  t.equal(works(farm, 'bad', 'failed'), 'A/0/2');
  t.equal(evidenceOf(farm, 'bad'), undefined);
  farm.replaceFarm({});
  t.match(
    farm.store.get('farm', farm.farm)?.quarantine,
    { isOn: false, version: 2 },
    'a PUT without it keeps it',
  );
  farm.replaceFarm({ quarantine: true });
  farm.register('late', { cpu_count: 1 });
  farm.restart();
  works(farm, 'late', 'failed');
  t.match(evidenceOf(farm, 'late'), { steps: [{ open: 1 }] }, 'a worker that registers gets the setting');
  farm.deleteJob('A');
  farm.deregister('late');
  farm.deleteWorker('late');
  t.same([...farm.store.scan('workerEvidence')], [], 'the row goes with the worker');
  t.end();
});

test('a task that succeeds on the worker on which it failed says nothing about it', (t) => {
  const farm = farmWith(['flaky', 'good'], ['A']);
  t.equal(works(farm, 'flaky', 'failed'), 'A/0/0');
  farm.disableWorker('good');
  t.equal(works(farm, 'flaky', 'succeeded'), 'A/0/0');
  t.match(evidenceOf(farm, 'flaky')?.steps, [{ open: 0, elsewhere: 0, everywhere: 0 }]);
  t.end();
});

test('a canceled, skipped or exhausted task says nothing about the worker', (t) => {
  const farm = farmWith(['bad', 'good'], ['A']);
  t.equal(works(farm, 'bad', 'failed'), 'A/0/0');
  farm.cancelTask('A/0/0');
  t.match(evidenceOf(farm, 'bad'), { streak: [], steps: [{ open: 0, elsewhere: 0, everywhere: 0 }] });
  t.equal(works(farm, 'bad', 'failed'), 'A/0/1');
  farm.skipTask('A/0/1');
  t.match(evidenceOf(farm, 'bad'), { streak: [], steps: [{ open: 0, elsewhere: 0 }] });
  farm.disableWorker('good');
  farm.submit('C', [{ name: 's', tasks: 1, needs: { cores: 1 } }], {
    retry: { maxAttempts: 2, retryDelaySeconds: 0 },
    priority: 90,
  });
  t.equal(works(farm, 'bad', 'failed'), 'C/0/0');
  t.equal(works(farm, 'bad', 'failed'), 'C/0/0', 'again on the same worker');
  t.match(evidenceOf(farm, 'bad')?.steps.at(-1), { open: 0, elsewhere: 0, everywhere: 0 });
  farm.expectInvariants(t, 'no evidence');
  t.end();
});
