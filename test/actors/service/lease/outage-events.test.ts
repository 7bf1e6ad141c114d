import { test } from 'tap';
import { replyTo } from '../../../../actors/kernel/address.ts';
import { WEBHOOKS_ID } from '../../../../actors/service/webhooks/messages.ts';
import { parseAttemptId, type AttemptAddress } from '../../../../src/core/ids.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const MINUTE = 60_000;
const MESSAGE = 'no license on host 7';
const WORKERS = ['w0', 'w1', 'w2'];

function attemptOf(id: string): AttemptAddress {
  const address = parseAttemptId(id);
  if (address === null) throw new Error(`${id} is not the id of an attempt`);
  return address;
}

/** A farm that looks for outages, with a webhook for them, three workers of one core and two jobs that use a pool. */
class OutageFarm extends TestFarm {
  constructor() {
    super({ heartbeatTimeoutMs: 1e12, staleAssignedMs: 1e12, leaseHoldMs: 1e12 });
    this.restart();
    this.replaceFarm({ outages: { isOn: true }, queuePolicy: { kind: 'balanced', sharedBy: 'job' } });
    this.createPool('houdini', { maxConcurrent: 10 });
    for (const name of WORKERS) this.register(name, { cpu_count: 1, compute_location: 'north' });
    for (const job of ['A', 'B'])
      this.submit(job, [{ name: 's', tasks: 6, needs: { cores: 1, pools: ['houdini'] } }], {
        retry: { maxAttempts: 2, retryDelaySeconds: 0, failureLimit: 0 },
      });
    this.send({
      actor: 'webhooks',
      id: WEBHOOKS_ID,
      message: {
        type: 'webhook.create',
        input: {
          name: 'outages',
          url: 'https://example.com/',
          format: 'generic',
          events: ['outage.began', 'outage.ended'],
          farmId: this.farm,
          queueId: null,
          owner: null,
          enabled: true,
        },
        secret: 's',
        createdBy: 'ann',
        replyTo: replyTo('webhook'),
      },
    });
    this.takeOutputs();
  }

  /** Leases a task for the worker. Returns it, such as `A/0/3`. */
  take(worker: string): string {
    this.takeOutputs();
    this.lease(worker);
    const [, word] =
      this.takeOutputs()
        .map((line) => /^lease \S+: (.*)#/.exec(line))
        .find((found) => found !== null) ?? [];
    if (word === undefined) throw new Error(`${worker} gets no task`);
    return word;
  }

  fail(word: string, from: string): void {
    this.report(word, 'failed', { from, exitCode: 1, message: MESSAGE });
  }

  /** Lets a task fail on each worker, of two jobs. */
  breakDown(): void {
    const words = WORKERS.map((worker) => this.take(worker));
    for (const [at, word] of words.entries()) this.fail(word, WORKERS[at] ?? '');
  }

  /** Returns the events of webhooks: queued deliveries, and rows that their actor has not seen. */
  notices(): readonly string[] {
    return [
      ...[...this.store.scan('webhookDelivery')].map(({ value }) => value.type),
      ...[...this.store.scan('notice')].map(({ value }) => value.event.type),
    ];
  }

  isHeld(): boolean {
    const { outages = [] } = this.store.get('farmOutages', keys.farmOutages(this.farm)) ?? {};
    return outages.some(({ endedAt }) => endedAt === undefined);
  }

  /** Returns the worker with a task, and the task that it tries. */
  probe(): { readonly word: string; readonly worker: string } {
    const [row] = this.store.get('farmOutages', keys.farmOutages(this.farm))?.outages ?? [];
    const worker = WORKERS.find((name) => this.bookedCores(name) > 0);
    if (worker === undefined || row?.probe === null || row?.probe === undefined)
      throw new Error('no task is tried');
    const { jobId, stepOrder, index } = attemptOf(row.probe.attemptId);
    return { word: `${this.nameOf(jobId)}/${stepOrder}/${index}`, worker };
  }
}

for (const isCold of [false, true])
  test(`events say when a hold starts and when the outage ends, each once, restarted in between: ${isCold}`, (t) => {
    const farm = new OutageFarm();
    const restart = (): void => {
      if (isCold) farm.restart();
      for (const worker of WORKERS) if (isCold && farm.bookedCores(worker) === 0) farm.lease(worker);
    };
    farm.breakDown();
    restart();
    const facts = { farm_id: farm.farm, kind: 'usage pool', name: 'houdini', place: 'usage pool houdini' };
    t.match(farm.outageEvents, [
      {
        ...facts,
        status: 'held',
        message: MESSAGE,
        times: 1,
        failures: 3,
        jobs: 2,
        workers: 3,
        policy_version: 1,
        end_reason: undefined,
      },
    ]);
    t.same(farm.notices(), ['outage.began']);
    if (!isCold) farm.lease('w0');
    farm.advance(MINUTE);
    restart();
    const { word, worker } = farm.probe();
    farm.fail(word, worker);
    restart();
    t.match(farm.outageEvents.slice(1), [{ ...facts, status: 'held', times: 2, failures: 4 }]);
    t.same(farm.notices(), ['outage.began'], 'another hold in a row is not the start of an outage');
    if (!isCold) farm.lease('w1');
    farm.advance(2 * MINUTE);
    restart();
    farm.report(farm.probe().word, 'succeeded', { exitCode: 0 });
    restart();
    t.match(farm.outageEvents.slice(2), [{ ...facts, status: 'ended', end_reason: 'task passed' }]);
    t.same(farm.notices(), ['outage.began', 'outage.ended']);
    farm.advance(60 * MINUTE);
    restart();
    t.equal(farm.outageEvents.length, 3, 'nothing follows');
    t.equal(farm.notices().length, 2);
    t.end();
  });

test('an event of a webhook is stored exactly with the outage, wherever the service is killed', (t) => {
  const seen = new Set<boolean>();
  for (let windows = 0; windows < 6; windows++) {
    const farm = new OutageFarm();
    const words = WORKERS.map((worker) => farm.take(worker));
    for (const at of [0, 1]) farm.fail(words[at] ?? '', WORKERS[at] ?? '');
    farm.forWindows(windows, () => farm.fail(words[2] ?? '', WORKERS[2] ?? ''));
    t.same(farm.notices(), farm.isHeld() ? ['outage.began'] : [], `after ${windows} windows`);
    seen.add(farm.isHeld());
    farm.restart();
    farm.fail(words[2] ?? '', WORKERS[2] ?? '');
    t.equal(farm.isHeld(), true);
    t.same(farm.notices(), ['outage.began'], 'once after the report is repeated');
  }
  t.equal(seen.size, 2, 'killed before and after the commit');
  t.end();
});

test('the end by a user, by the setting and with the farm says so', (t) => {
  const ends = (farm: OutageFarm): readonly unknown[] =>
    farm.outageEvents.flatMap(({ status, end_reason: reason }) => (status === 'ended' ? [reason] : []));
  const farm = new OutageFarm();
  farm.breakDown();
  farm.endOutage({ kind: 'usage pool', name: 'houdini' });
  t.same(ends(farm), ['ended by a user']);
  farm.breakDown();
  t.equal(farm.isHeld(), true);
  farm.replaceFarm({ outages: { isOn: false } });
  t.same(ends(farm), ['ended by a user', 'turned off']);
  t.same(farm.notices(), ['outage.began', 'outage.ended', 'outage.began', 'outage.ended']);

  const deleted = new OutageFarm();
  deleted.breakDown();
  for (const job of ['A', 'B']) deleted.cancelJob(job);
  deleted.deleteFarm();
  t.equal(deleted.store.get('farm', deleted.farm), undefined);
  t.same(ends(deleted), ['farm deleted']);
  t.same(deleted.notices(), ['outage.began'], 'a deleted farm raises no event for webhooks');
  t.end();
});
