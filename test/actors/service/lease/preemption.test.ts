import { test } from 'tap';
import { taskIdOf } from '../../../../src/core/ids.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import type { QueueInput } from '../../../../actors/service/farm/messages.ts';
import type { ServiceSettings } from '../../../../actors/service/service-system.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const AFTER_SECONDS = 60;
const SWEEP_MS = 3_000;
const HOUR_MS = 3_600_000;
const WHY = 'taken back for queue urgent, of which a task had waited 1 min 2 s';

/** A worker with two older and two newer tasks of a preemptible queue, and a queue that preempts after a minute. */
class NightFarm extends TestFarm {
  readonly night = this.createQueue({ name: 'night', preemptible: true });
  readonly urgent = this.createQueue({ name: 'urgent', preemptAfterSeconds: AFTER_SECONDS });

  constructor(settings: Partial<ServiceSettings> = {}) {
    super(settings);
    this.register('w1');
    this.run4();
    this.takeOutputs();
  }

  private run4(): void {
    for (const name of ['old', 'new']) {
      this.submit(name, [{ name: 's', tasks: 2 }], { queueId: this.night });
      this.lease('w1');
      this.report(`${name}/0/0`, 'running');
      this.report(`${name}/0/1`, 'running');
      this.advance(20_000);
    }
  }

  /** Submits a job with one task of two cores, and lets time pass until it is due. */
  wait(name: string, cores = 2, priority = 50): void {
    this.submit(name, [{ name: 's', tasks: 1, needs: { cores } }], { queueId: this.urgent, priority });
    this.advance(AFTER_SECONDS * 1000 + SWEEP_MS);
  }

  /** Returns the stopped attempts since the last call. */
  stops(): string[] {
    return this.takeOutputs().flatMap((line) => /^stop (\S+): /.exec(line)?.[1] ?? []);
  }

  /** Moves the wall clock, and sends the message of the timer of the sweep. */
  sweep(ms: number): void {
    this.now += ms;
    this.send({ actor: 'lease', id: this.farm, message: { type: 'sweep.due' } });
  }

  change(some: Partial<QueueInput>, queue = this.night): void {
    const { name } = this.store.get('queue', keys.queue(queue)) ?? { name: '' };
    this.replaceQueue({ name, ...some }, queue);
  }
}

test('a task that has waited takes back the newest tasks, and starts when they have ended', (t) => {
  const farm = new NightFarm();
  farm.submit('U', [{ name: 's', tasks: 1, needs: { cores: 2 } }], { queueId: farm.urgent });
  farm.takeOutputs();
  farm.advance(AFTER_SECONDS * 1000 - SWEEP_MS);
  farm.expect(t, 'not yet', []);
  t.match(farm.explain('U/0/0').preemption, {
    afterMs: AFTER_SECONDS * 1000,
    isUnderway: false,
    version: 1,
  });
  farm.advance(2 * SWEEP_MS);
  farm.expect(t, 'taken back', [
    `stop new/0/0#1: ${WHY}`,
    'task new/0/0 pending',
    'count task-preemptions of night',
    `stop new/0/1#1: ${WHY}`,
    'task new/0/1 pending',
    'count task-preemptions of night',
  ]);
  const event = { preempted: true, preemption_version: 1 };
  t.match(farm.taskEvents.slice(-2), [event, event]);
  t.match(farm.explain('U/0/0'), { reservedWorker: farm.worker('w1').id, preemption: { isUnderway: true } });
  t.match(farm.attempts('new/0/0'), [
    {
      status: 'canceled',
      message: WHY,
      preemption: {
        queueId: farm.urgent,
        queue: 'urgent',
        stepOrder: 0,
        afterSeconds: AFTER_SECONDS,
        policyVersion: 1,
      },
    },
  ]);
  farm.lease('w1');
  farm.advance(2 * SWEEP_MS);
  farm.report('new/0/0#1', 'canceled');
  farm.expect(t, 'one has ended: too few cores, and they are kept free', ['task new/0/0 ready']);
  farm.report('new/0/1#1', 'canceled');
  farm.expect(t, 'the waiting task starts', [
    'task new/0/1 ready',
    'task U/0/0 assigned w1',
    'job U running',
    'lease w1: U/0/0#1 (2 cores)',
  ]);
  farm.report('U/0/0', 'succeeded', { exitCode: 0 });
  farm.takeOutputs();
  farm.lease('w1');
  t.match(farm.takeOutputs().at(-1), /^lease w1: new\/0\/0#2, new\/0\/1#2$/, 'they run again');
  t.match(farm.job('new'), { failedAttempts: 0 });
  t.equal(farm.task('new/0/0').failedAttempts, 0, 'no attempt is used up');
  t.end();
});

test('the resources stay booked until the processes have ended', (t) => {
  const farm = new NightFarm();
  farm.wait('U');
  t.strictSame(farm.stops(), ['new/0/0#1', 'new/0/1#1']);
  farm.register('w2', { cpu_count: 1 });
  farm.lease('w1');
  farm.lease('w2');
  farm.takeOutputs();
  t.equal(farm.store.get('booking', keys.booking(farm.worker('w1').id))?.ending?.bookings.length, 2);
  farm.report('new/0/1#1', 'succeeded', { exitCode: 0 });
  t.match(
    farm.takeOutputs().at(-1),
    'lease w2: new/0/1#2',
    'a result after the stop does not count, the task runs elsewhere',
  );
  farm.report('new/0/0#1', 'canceled');
  t.match(farm.takeOutputs().join(), /lease w1: U\/0\/0#1/);
  t.notOk(farm.store.get('booking', keys.booking(farm.worker('w1').id))?.ending);
  farm.expectInvariants(t, 'ended');
  t.end();
});

test('cores of a paused job whose tasks are ending count for no sharer, as after a restart', (t) => {
  const farm = new NightFarm();
  const policy = { kind: 'balanced', sharedBy: 'owner', weights: [], priorityFirst: true } as const;
  farm.replaceFarm({ queuePolicy: { ...policy, halfLifeSeconds: 3600 } });
  farm.submit('more', [{ name: 's', tasks: 1 }], { queueId: farm.night });
  farm.wait('U');
  t.equal(farm.stops().length, 2);
  const cores = (): number | null | undefined => farm.explain('more/0/0').share?.cores;
  t.equal(cores(), 4, 'two tasks that run, and two that are ending');
  farm.updateJob('new', { action: 'pause' });
  t.equal(cores(), 2);
  farm.restart();
  t.equal(cores(), 2, 'after a restart');
  farm.replaceFarm({ queuePolicy: { ...policy, halfLifeSeconds: 7200 } });
  t.equal(cores(), 2, 'after a change of the policy');
  farm.updateJob('new', { action: 'resume' });
  t.equal(cores(), 4, 'the job has ready tasks again');
  farm.expectInvariants(t, 'ending');
  t.end();
});

/** A farm with a second worker, which has four tasks of a preemptible queue too. */
function farmOfTwo(): NightFarm {
  const farm = new NightFarm();
  farm.register('w2');
  farm.submit('more', [{ name: 's', tasks: 4 }], { queueId: farm.night });
  farm.lease('w2');
  for (let index = 0; index < 4; index++) farm.report(`more/0/${index}`, 'running', { from: 'w2' });
  farm.takeOutputs();
  return farm;
}

const TAKEN_BACK = 'tasks taken back for a step that has waited';

test('while tasks are ending for a step, no others are taken back for it', (t) => {
  const farm = farmOfTwo();
  farm.takeInfos();
  farm.wait('U');
  t.equal(farm.stops().length, 2);
  t.same(
    farm.takeInfos().filter((text) => text === TAKEN_BACK),
    [TAKEN_BACK],
  );
  farm.advance(5 * SWEEP_MS);
  t.same(farm.stops(), []);
  t.notOk(farm.takeInfos().includes(TAKEN_BACK), 'it is not decided again');
  farm.expectInvariants(t, 'ending');
  t.end();
});

test('of few workers, one is kept free at a time', (t) => {
  const farm = farmOfTwo();
  farm.submit('V', [{ name: 's', tasks: 1, needs: { cores: 4 } }], { queueId: farm.urgent });
  farm.wait('U', 4);
  t.equal(farm.stops().length, 4, 'the tasks of one worker');
  farm.expectInvariants(t, 'one is kept free');
  t.end();
});

test('a service that starts again decides in the same way, and keeps the worker free', (t) => {
  const warm = new NightFarm();
  const cold = new NightFarm();
  for (const farm of [warm, cold]) {
    farm.submit('U', [{ name: 's', tasks: 1, needs: { cores: 2 } }], { queueId: farm.urgent });
    farm.advance(AFTER_SECONDS * 1000 - SWEEP_MS);
    farm.takeOutputs();
  }
  cold.restart();
  for (const farm of [warm, cold]) farm.advance(3 * SWEEP_MS);
  const said = (farm: NightFarm): string[] => farm.takeOutputs().filter((line) => !line.startsWith('worker'));
  t.strictSame(said(cold), said(warm), 'the same attempts, with the same reason');
  cold.restart();
  for (const farm of [warm, cold]) {
    farm.lease('w1');
    farm.advance(3 * SWEEP_MS);
    t.strictSame(farm.stops(), [], 'no second set');
    farm.report('new/0/0#1', 'canceled');
    farm.report('new/0/1#1', 'canceled');
    t.match(farm.takeOutputs().join(), /lease w1: U\/0\/0#1 \(2 cores\)/);
    farm.expectInvariants(t, 'started');
  }
  cold.restart();
  for (const farm of [warm, cold]) {
    farm.heartbeat('w1');
    farm.submit('V', [{ name: 's', tasks: 1, needs: { cores: 2 } }], { queueId: farm.urgent });
    farm.report('U/0/0', 'succeeded', { exitCode: 0 });
    farm.submit('more', [{ name: 's', tasks: 2 }], { queueId: farm.queue, priority: 90 });
    farm.lease('w1');
    farm.report('more/0/0', 'running');
    farm.report('more/0/1', 'running');
    farm.takeOutputs();
    farm.advance(AFTER_SECONDS * 1000 + SWEEP_MS);
    t.strictSame(farm.stops(), ['old/0/0#1', 'old/0/1#1'], 'the older tasks, which were never taken back');
  }
  t.end();
});

test('a task is not taken back twice within an hour, nor more than three times', (t) => {
  const farm = new NightFarm();
  farm.change({ preemptible: true, paused: true });
  for (const word of ['old/0/0', 'old/0/1']) farm.report(word, 'succeeded', { exitCode: 0 });
  farm.change({ preemptible: true, paused: false });
  const runs: number[] = [];
  for (let round = 1; round <= 5; round++) {
    farm.wait(`U${round}`, 4);
    const stopped = farm.stops();
    if (stopped.length > 0) runs.push(round);
    for (const attempt of stopped) farm.report(attempt, 'canceled');
    farm.lease('w1');
    if (stopped.length > 0) {
      farm.report(`U${round}/0/0`, 'succeeded', { exitCode: 0 });
      farm.lease('w1');
      farm.report('new/0/0', 'running');
      farm.report('new/0/1', 'running');
      farm.wait(`again${round}`, 4);
      t.strictSame(farm.stops(), [], 'within the hour');
      farm.cancelJob(`again${round}`);
      farm.advance(HOUR_MS);
      farm.takeOutputs();
    }
  }
  t.strictSame(runs, [1, 2, 3]);
  t.equal(farm.task('new/0/0').status, 'running');
  farm.expectInvariants(t, 'in the end');
  t.end();
});

test('only tasks of other, preemptible queues with the same or a lower priority are taken back', (t) => {
  const cases: readonly [string, (farm: NightFarm) => void, readonly string[]][] = [
    ['as a control', (farm) => farm.wait('U'), ['new/0/0#1', 'new/0/1#1']],
    ['a lower priority than theirs', (farm) => farm.wait('U', 2, 49), []],
    [
      'a queue that is not preemptible',
      (farm) => {
        farm.change({ preemptible: false });
        farm.wait('U');
      },
      [],
    ],
    [
      'a queue that takes back nothing',
      (farm) => {
        farm.change({ preemptAfterSeconds: null }, farm.urgent);
        farm.wait('U');
      },
      [],
    ],
    [
      'tasks of its own queue',
      (farm) => {
        farm.change({ preemptible: true, preemptAfterSeconds: AFTER_SECONDS });
        farm.submit('U', [{ name: 's', tasks: 1 }], { queueId: farm.night });
        farm.advance(AFTER_SECONDS * 1000 + SWEEP_MS);
      },
      [],
    ],
    [
      'a paused queue',
      (farm) => {
        farm.change({ paused: true }, farm.urgent);
        farm.wait('U');
      },
      [],
    ],
    [
      'more than all of them hold',
      (farm) => {
        farm.submit('keep', [{ name: 's', tasks: 1, needs: { cores: 1 } }], { priority: 90 });
        farm.report('old/0/0', 'succeeded', { exitCode: 0 });
        farm.lease('w1');
        farm.report('keep/0/0', 'running');
        farm.wait('U', 4);
      },
      [],
    ],
    [
      'a worker with room',
      (farm) => {
        farm.register('w2');
        farm.wait('U');
      },
      [],
    ],
    [
      'one step after another, because one worker may be reserved',
      (farm) => {
        farm.submit('first', [{ name: 's', tasks: 1 }], { queueId: farm.urgent, priority: 60 });
        farm.wait('U', 1);
        farm.advance(SWEEP_MS);
      },
      ['new/0/0#1'],
    ],
  ];
  for (const [name, act, expected] of cases) {
    const farm = new NightFarm();
    act(farm);
    t.strictSame(farm.stops(), expected, name);
    farm.expectInvariants(t, name);
  }
  t.end();
});

test('of a few workers, one at a time is kept free for a step', (t) => {
  const farm = new NightFarm();
  farm.register('w2');
  farm.submit('more', [{ name: 's', tasks: 4 }], { queueId: farm.night });
  farm.lease('w2');
  for (let index = 0; index < 4; index++) farm.report(`more/0/${index}`, 'running');
  farm.submit('U', [{ name: 's', tasks: 1, needs: { cores: 2 } }], { queueId: farm.urgent });
  farm.submit('V', [{ name: 's', tasks: 1, needs: { cores: 2 } }], { queueId: farm.urgent });
  farm.takeOutputs();
  farm.advance(AFTER_SECONDS * 1000 + SWEEP_MS);
  t.equal(farm.stops().length, 2, 'for the first step');
  farm.advance(4 * SWEEP_MS);
  t.strictSame(farm.stops(), [], 'a tenth of two workers, at least one, is kept free: the second step waits');
  t.end();
});

test('without other sweeps, and with booked memory, tasks are taken back too', (t) => {
  const farm = new NightFarm({ reservationAfterMs: 0, unschedulableGraceMs: 0 });
  farm.replaceFarm({ bookedAmounts: { names: ['amount.worker.memory'], byDefault: 'none' } });
  for (const word of ['old/0/0', 'old/0/1', 'new/0/0', 'new/0/1'])
    farm.report(word, 'succeeded', { exitCode: 0 });
  const memory = (min: number) => ({ cores: 1, amounts: [{ name: 'amount.worker.memory', min }] });
  farm.submit('large', [{ name: 's', tasks: 1, needs: memory(7000) }], { queueId: farm.night });
  farm.submit('small', [{ name: 's', tasks: 1, needs: memory(100) }], { queueId: farm.night });
  farm.lease('w1');
  farm.report('large/0/0', 'running');
  farm.report('small/0/0', 'running');
  farm.submit('U', [{ name: 's', tasks: 1, needs: memory(6000) }], { queueId: farm.urgent });
  farm.takeOutputs();
  farm.advance(AFTER_SECONDS * 1000 + SWEEP_MS);
  t.strictSame(farm.stops(), ['large/0/0#1'], 'the one with the memory');
  farm.lease('w1');
  farm.report('large/0/0#1', 'canceled');
  t.match(farm.takeOutputs().join(), /lease w1: U\/0\/0#1/);
  farm.expectInvariants(t, 'started');
  t.end();
});

test('a waiting task that is canceled releases the worker, and a silent worker loses what it was ending', (t) => {
  const farm = new NightFarm();
  farm.wait('U');
  t.equal(farm.stops().length, 2);
  farm.cancelJob('U');
  farm.lease('w1');
  farm.advance(SWEEP_MS);
  farm.takeOutputs();
  farm.report('new/0/0#1', 'canceled');
  t.match(farm.takeOutputs().join(), /lease w1: new\/0\/0#2/, 'kept free for nothing else');
  farm.beating.delete('w1');
  farm.advance(31_000);
  farm.expectInvariants(t, 'silent');
  t.equal(farm.job('new').taskCounts.pending, 0, 'a whole timeout of silence');
  t.notOk(farm.store.get('booking', keys.booking(farm.worker('w1').id))?.ending);
  t.end();
});

for (const isCold of [false, true])
  test(`a decision has the version of the setting at that time, restarted after the change: ${isCold}`, (t) => {
    const farm = new NightFarm();
    farm.change({ preemptAfterSeconds: 2 * AFTER_SECONDS }, farm.urgent);
    farm.change({ preemptAfterSeconds: AFTER_SECONDS }, farm.urgent);
    if (isCold) farm.restart();
    farm.wait('U');
    t.match(farm.attempts('new/0/0'), [{ preemption: { policyVersion: 3, afterSeconds: AFTER_SECONDS } }]);
    t.match(farm.taskEvents.slice(-2), [{ preemption_version: 3 }, { preemption_version: 3 }]);
    t.end();
  });

/** Ids of the test farm are of an earlier time than its clock. */
const AUDIT = {
  isOn: true,
  retentionMs: 1e13,
  entries: { people: 100, strangers: 100, service: 100 },
};

/** Returns the attempts of which the audit log has an entry, or will have one. */
const audited = (farm: TestFarm): readonly string[] =>
  [
    ...[...farm.store.scan('auditEntry')].flatMap(({ value }) => value.decision?.attemptId ?? []),
    ...[...farm.store.scan('auditDecision')].map(({ value }) => value.decision.attemptId),
  ].sort();

test('each task that is taken back has an entry in the audit log: who, what and why', (t) => {
  const farm = new NightFarm({ audit: AUDIT });
  farm.wait('U');
  const entries = [...farm.store.scan('auditEntry')].map(({ value }) => value);
  const worker = farm.worker('w1').id;
  t.match(
    entries,
    ['new/0/0', 'new/0/1'].map((word) => ({
      outcome: 'decided',
      actor: '',
      reason: /^Taken back for queue urgent, of which a task had waited 1 min 2 s \(.*preemption setting 1\)/,
      targets: [
        taskIdOf(farm.address(word)),
        farm.attempts(word)[0]?.id,
        worker,
        farm.jobId('U'),
        farm.urgent,
      ],
      decision: {
        attemptId: farm.attempts(word)[0]?.id,
        workerId: worker,
        queueId: farm.night,
        preemption: { queueId: farm.urgent, jobId: farm.jobId('U'), stepOrder: 0, policyVersion: 1 },
      },
    })),
  );
  t.equal(entries.length, 2);
  t.equal([...farm.store.scan('auditDecision')].length, 0, 'the rows of the decisions are removed');
  const off = new NightFarm({ audit: { ...AUDIT, isOn: false } });
  off.wait('U');
  t.equal(off.stops().length, 2);
  t.same(audited(off), [], 'nothing is recorded while authentication is off');
  t.end();
});

test('a task is taken back exactly with its entry, wherever the service is killed', (t) => {
  const seen = new Set<number>();
  for (let windows = 0; windows < 8; windows++) {
    const farm = new NightFarm({ audit: AUDIT });
    farm.submit('U', [{ name: 's', tasks: 1, needs: { cores: 2 } }], { queueId: farm.urgent });
    farm.advance(AFTER_SECONDS * 1000 - SWEEP_MS);
    farm.forWindows(windows, () => farm.sweep(2 * SWEEP_MS));
    const taken = (): readonly string[] =>
      ['new/0/0', 'new/0/1'].flatMap((word) => {
        const [attempt] = farm.attempts(word);
        return attempt?.preemption === undefined ? [] : [attempt.id];
      });
    t.same(audited(farm), [...taken()].sort(), `after ${windows} windows`);
    seen.add(taken().length);
    farm.restart();
    t.same(audited(farm), [...taken()].sort(), `after ${windows} windows and a restart`);
    t.equal([...farm.store.scan('auditDecision')].length, 0, 'a restart writes the entries');
    const ids = [...farm.store.scan('auditEntry')].map(({ value }) => value.decision?.attemptId);
    t.equal(new Set(ids).size, ids.length, 'once each');
  }
  t.same([...seen].sort(), [0, 2], 'killed before and after the commit');
  t.end();
});
