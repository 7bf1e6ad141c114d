import { test } from 'tap';
import { parseAttemptId } from '../../../../src/core/ids.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import type { Outage } from '../../../../src/core/outages/outage.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const MINUTE = 60_000;
const MESSAGE = 'no license on host 7';

interface Options {
  readonly pools?: readonly string[];
  readonly maxAttempts?: number;
  readonly failureLimit?: number;
}

/** A farm that looks for outages, with workers of one core in a location, and jobs that use a pool. */
function farmWith(
  jobs: readonly string[],
  { pools = ['houdini'], maxAttempts = 2, failureLimit = 0 }: Options = {},
): TestFarm {
  const farm = new TestFarm({ heartbeatTimeoutMs: 1e12, staleAssignedMs: 1e12, leaseHoldMs: 1e12 });
  farm.replaceFarm({
    quarantine: true,
    outages: { isOn: true },
    queuePolicy: { kind: 'balanced', sharedBy: 'job' },
  });
  farm.createPool('houdini', { maxConcurrent: 10 });
  for (const name of ['w0', 'w1', 'w2', 'w3'])
    farm.register(name, { cpu_count: 1, compute_location: 'north' });
  farm.register('far', { cpu_count: 1, compute_location: 'south' });
  for (const job of jobs)
    farm.submit(job, [{ name: 's', tasks: 6, needs: { cores: 1, pools } }], {
      retry: { maxAttempts, retryDelaySeconds: 0, failureLimit },
    });
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

/** Leases one task for each worker, of the jobs in turn. */
const takenBy = (farm: TestFarm, workers: readonly string[]): readonly string[] =>
  workers.map((worker) => {
    const word = taken(farm, worker);
    if (word === null) throw new Error(`${worker} gets no task`);
    return word;
  });

const fail = (farm: TestFarm, word: string, from: string, message = MESSAGE): void => {
  farm.report(word, 'failed', { from, exitCode: 1, message });
};

const outagesOf = (farm: TestFarm): readonly Outage[] =>
  (farm.store.get('farmOutages', keys.farmOutages(farm.farm))?.outages ?? []).filter(
    ({ endedAt }) => endedAt === undefined,
  );

/** Returns the task of an attempt, such as `A/0/3`. */
function wordOf(farm: TestFarm, attemptId: string | undefined): string {
  const address = parseAttemptId(attemptId ?? '');
  if (address === null) throw new Error('there is no probe');
  return `${farm.nameOf(address.jobId)}/${address.stepOrder}/${address.index}`;
}

const probeOf = (farm: TestFarm): string => wordOf(farm, outagesOf(farm)[0]?.probe?.attemptId);

const THREE = ['w0', 'w1', 'w2'];

/** Lets tasks of two jobs fail on three workers. Returns the tasks. */
function breakDown(farm: TestFarm): readonly string[] {
  const words = takenBy(farm, THREE);
  for (const [at, word] of words.entries()) fail(farm, word, THREE[at] ?? '');
  return words;
}

for (const isCold of [false, true]) {
  const restart = (farm: TestFarm): void => {
    if (isCold) farm.restart();
  };

  test(`an outage holds the pool, counts no failure and ends with a probe, restarted in between: ${isCold}`, (t) => {
    const farm = farmWith(['A', 'B']);
    const tasks = takenBy(farm, THREE);
    const [one = '', two = '', three = ''] = tasks;
    fail(farm, one, 'w0');
    fail(farm, two, 'w1');
    t.same(
      [one, two].map((word) => farm.task(word).failedAttempts),
      [1, 1],
      'two failures count',
    );
    restart(farm);
    fail(farm, three, 'w2', 'no license on host 8');
    t.match(outagesOf(farm), [
      {
        kind: 'usage pool',
        name: 'houdini',
        message: 'no license on host 8',
        times: 1,
        failures: 3,
        jobs: 2,
        policyVersion: 1,
      },
    ]);
    restart(farm);
    for (const word of tasks) t.match(farm.task(word), { status: 'ready', failedAttempts: 0 }, word);
    for (const job of ['A', 'B']) t.equal(farm.job(job).failedAttempts, 0);
    t.same(
      [...farm.store.scan('workerEvidence')].filter(({ value }) => value.streak.length > 0),
      [],
      'no worker is blamed',
    );
    t.match(farm.attempts(three)[0], { status: 'failed', outage: { name: 'houdini' } });
    t.equal(taken(farm, 'w3'), null, 'held');
    t.match(farm.explain('A/0/0').outages, [{ name: 'houdini' }]);
    for (const word of tasks) t.same(farm.explain(word).workers.avoided, [], 'it avoids no worker');
    farm.expectInvariants(t, 'held');
    farm.advance(MINUTE - 1);
    t.equal(farm.bookedCores('w3'), 0);
    farm.advance(1);
    restart(farm);
    if (isCold) farm.lease('w3');
    t.equal(farm.bookedCores('w3'), 1, 'one task is tried');
    t.equal(taken(farm, 'w0'), null, 'only one');
    t.match(outagesOf(farm), [{ probe: { passesAt: farm.now + MINUTE } }]);
    farm.expectInvariants(t, 'tried');
    const probe = probeOf(farm);
    restart(farm);
    farm.report(probe, 'failed', { from: 'w3', exitCode: 1, message: 'no license on host 8' });
    t.match(outagesOf(farm), [{ times: 2, until: farm.now + 2 * MINUTE, probe: null }]);
    t.equal(farm.task(probe).failedAttempts, 0);
    restart(farm);
    farm.advance(2 * MINUTE);
    for (const worker of ['w0', 'w1']) farm.lease(worker);
    const next = probeOf(farm);
    t.not(next.split('/')[0], probe.split('/')[0], 'a task of the other job is tried');
    restart(farm);
    farm.report(next, 'succeeded');
    t.same(outagesOf(farm), []);
    for (const worker of ['w1', 'w2', 'w3', 'far']) farm.lease(worker);
    t.ok(farm.bookedCores('w2') + farm.bookedCores('w3') + farm.bookedCores('far') >= 2, 'all start again');
    farm.expectInvariants(t, 'ended');
    t.end();
  });

  test(`without a pool the location is held and others work, restarted in between: ${isCold}`, (t) => {
    const farm = farmWith(['A', 'B'], { pools: [] });
    breakDown(farm);
    t.match(outagesOf(farm), [{ kind: 'compute location', name: 'north' }]);
    restart(farm);
    t.equal(taken(farm, 'w3'), null, 'held');
    t.equal(farm.explain('A/0/0').outages, undefined, 'another location can run it');
    t.not(taken(farm, 'far'), null, 'another location');
    farm.expectInvariants(t, 'held');
    farm.disableWorker('far');
    t.match(farm.explain('A/0/0').outages, [{ name: 'north' }]);
    restart(farm);
    if (isCold) for (const worker of ['w0', 'w1', 'w2', 'w3']) farm.lease(worker);
    farm.advance(MINUTE);
    const working = ['w0', 'w1', 'w2', 'w3'].filter((worker) => farm.bookedCores(worker) > 0);
    t.equal(working.length, 1, 'one is tried');
    restart(farm);
    farm.advance(MINUTE);
    t.same(outagesOf(farm), [], 'it has run long enough');
    for (const worker of ['w0', 'w1', 'w2', 'w3']) if (!working.includes(worker)) farm.lease(worker);
    t.equal(['w0', 'w1', 'w2', 'w3'].filter((worker) => farm.bookedCores(worker) > 0).length, 4);
    farm.expectInvariants(t, 'ended');
    t.end();
  });
}

for (const isCold of [false, true])
  test(`the worker that has waited longest tries a location, restarted before: ${isCold}`, (t) => {
    const farm = farmWith(['A', 'B'], { pools: [] });
    breakDown(farm);
    farm.disableWorker('far');
    if (isCold) farm.restart();
    for (const worker of ['w3', 'w1', 'w0']) t.equal(taken(farm, worker), null, 'held');
    farm.advance(MINUTE);
    t.same(
      THREE.concat('w3').filter((worker) => farm.bookedCores(worker) > 0),
      ['w3'],
    );
    farm.report(probeOf(farm), 'succeeded');
    t.same(outagesOf(farm), []);
    t.same(
      ['w1', 'w0'].map((worker) => farm.bookedCores(worker)),
      [1, 1],
      'the others are served',
    );
    farm.expectInvariants(t, 'ended');
    t.end();
  });

test('a task that has failed for good in the outage is retried, and a parked job continues', (t) => {
  const farm = farmWith(['A', 'B'], { maxAttempts: 1, failureLimit: 1 });
  const [one = '', two = '', three = ''] = breakDown(farm);
  for (const word of [one, two, three])
    t.match(farm.task(word), { status: 'ready', failedAttempts: 0 }, word);
  for (const job of ['A', 'B']) t.match(farm.job(job), { failedAttempts: 0, parkReason: '' }, job);
  for (const job of ['A', 'B']) t.not(farm.job(job).status, 'paused');
  farm.expectInvariants(t, 'taken back');
  t.end();
});

test('a retry rule decides before an outage is looked for', (t) => {
  const farm = farmWith(['A', 'B']);
  farm.replaceQueue({
    retryRules: [
      {
        name: 'license',
        exitCodes: [1],
        log: '',
        outOfMemory: false,
        action: 'avoid_worker',
        maxTimes: 9,
        backoffSeconds: 0,
        pool: '',
        raise: null,
      },
    ],
  });
  breakDown(farm);
  t.same(outagesOf(farm), []);
  farm.expectInvariants(t, 'by rule');
  t.end();
});

test('a user can end an outage, and turning the setting off ends all', (t) => {
  const farm = farmWith(['A', 'B']);
  farm.endOutage({ kind: 'usage pool', name: 'houdini' });
  t.match(farm.answer('end outage'), { ok: false, problem: { kind: 'conflict' } });
  breakDown(farm);
  t.equal(taken(farm, 'w3'), null);
  farm.endOutage({ kind: 'usage pool', name: 'houdini' });
  t.same(farm.answer('end outage'), { ok: true, value: null });
  t.equal(farm.bookedCores('w3'), 1, 'the parked request is served');
  farm.expectInvariants(t, 'ended');
  breakDown(farm);
  t.equal(outagesOf(farm).length, 1);
  farm.replaceFarm({ outages: { isOn: false } });
  t.same(outagesOf(farm), []);
  t.equal(farm.store.get('farmOutages', keys.farmOutages(farm.farm)), undefined);
  const [word = ''] = takenBy(farm, ['w0']);
  fail(farm, word, 'w0');
  t.equal(farm.task(word).failedAttempts, 1, 'failures count');
  farm.expectInvariants(t, 'off');
  t.end();
});

test('a canceled probe is replaced by another', (t) => {
  const farm = farmWith(['A', 'B']);
  breakDown(farm);
  farm.lease('w3');
  farm.advance(MINUTE);
  const probe = probeOf(farm);
  farm.lease('w0');
  farm.cancelTask(probe);
  t.not(probeOf(farm), probe);
  t.equal(farm.bookedCores('w0'), 1);
  farm.expectInvariants(t, 'replaced');
  t.end();
});

test('a task that is selected in the moment in which its failure is excused is not ready again', (t) => {
  const farm = farmWith(['A', 'B'], { pools: [] });
  const [one = '', two = '', three = ''] = takenBy(farm, THREE);
  fail(farm, one, 'w0');
  fail(farm, two, 'w1');
  farm.replaceQueue({ maxConcurrentTasks: 1 });
  t.equal(taken(farm, 'far'), null, 'the cap of the queue is reached');
  // The end of this attempt makes room under the cap before the lease actor knows the excused tasks.
  fail(farm, three, 'w2');
  t.match(outagesOf(farm), [{ kind: 'compute location', name: 'north', failures: 3 }]);
  const selected = [one, two, three].filter((word) => farm.task(word).status === 'assigned');
  t.equal(selected.length, 1);
  t.match(farm.task(selected[0] ?? ''), { status: 'assigned', failedAttempts: 0 });
  t.not(selected[0], three, 'its failure was excused');
  farm.expectInvariants(t, 'selected');
  t.end();
});
