import fc from 'fast-check';
import { test } from 'tap';
import { replyTo } from '../../../../actors/kernel/address.ts';
import {
  WEBHOOKS_ID,
  type WebhookInput,
  type WebhooksMessage,
} from '../../../../actors/service/webhooks/messages.ts';
import { LOG_MAX, QUEUE_MAX } from '../../../../actors/service/webhooks/deliveries.ts';
import { jobId } from '../../../../src/core/ids.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import type { WebhookDeliveryRecord, WebhookRecord } from '../../../../src/core/records/webhook.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const DAY = 86_400_000;
const INPUT: WebhookInput & { readonly url: string } = {
  name: 'hook',
  url: 'https://example.com/',
  format: 'generic',
  events: ['job.completed', 'job.failed', 'job.canceled', 'job.parked', 'worker.offline', 'pool.exhausted'],
  farmId: null,
  queueId: null,
  owner: null,
  enabled: true,
};

/** A test service whose main thread the test plays. */
class TestWebhooks extends TestFarm {
  #jobs = 0;
  #requests = 0;

  constructor() {
    super({ unschedulableGraceMs: 0, reservationAfterMs: 0 });
    this.restart();
    this.takeOutputs();
  }

  create(some: Partial<typeof INPUT> = {}): WebhookRecord {
    const before = new Set(this.hooks().map(({ id }) => id));
    this.tell({
      type: 'webhook.create',
      input: { ...INPUT, ...some },
      secret: 's',
      createdBy: 'ann',
      replyTo: this.client(),
    });
    const made = this.hooks().find(({ id }) => !before.has(id));
    if (made === undefined) throw new Error('the webhook was refused');
    return made;
  }

  tell(message: WebhooksMessage): void {
    this.send({ actor: 'webhooks', id: WEBHOOKS_ID, message });
  }

  client(): ReturnType<typeof replyTo<unknown>> {
    this.#requests += 1;
    return replyTo<unknown>(`request ${this.#requests}`);
  }

  lastAnswer(): unknown {
    return this.answer(`request ${this.#requests}`);
  }

  /** Raises events of jobs, without processing them. */
  raise(count = 1, type: 'job.failed' | 'job.completed' = 'job.failed', owner = 'ann'): void {
    for (let each = 0; each < count; each++) {
      this.#jobs += 1;
      this.post({
        actor: 'farm',
        id: this.farm,
        message: {
          type: 'notice.raised',
          subject: {
            type,
            queueId: this.queue,
            job: {
              id: jobId(`job ${this.#jobs}`),
              name: `job ${this.#jobs}`,
              owner,
              project: '',
              priority: 50,
              status: 'failed',
              park_reason: null,
              cancel_reason: null,
              task_counts: { total: 1, succeeded: 0, failed: 1, canceled: 0 },
            },
          },
        },
      });
    }
  }

  hooks(): WebhookRecord[] {
    return [...this.store.scan('webhook')].map(({ value }) => value);
  }

  hook({ id }: WebhookRecord): WebhookRecord {
    const found = this.store.get('webhook', keys.webhook(id));
    if (found === undefined) throw new Error(`there is no webhook ${id}`);
    return found;
  }

  log({ id }: WebhookRecord): WebhookDeliveryRecord[] {
    return [...this.store.scan('webhookDelivery', { prefix: keys.webhookDeliveriesOf(id) })].map(
      ({ value }) => value,
    );
  }

  rows(table: 'notice' | 'webhookEvent' | 'webhookDelivery'): number {
    return [...this.store.scan(table)].length;
  }

  /** Number of requests of a webhook that were ordered since the last call of `takeOutputs`. */
  ordered({ id }: WebhookRecord, outputs = this.takeOutputs()): number {
    return outputs.filter((line) => line === `send webhook ${id}`).length;
  }

  /** Answers an attempt; without a status it had no response. */
  attempted({ id }: WebhookRecord, deliveryId: string, status: number | null): void {
    const error = status !== null && status < 300 ? null : 'failed';
    const attempt = { at: this.now, durationMs: 1, status, error };
    this.tell({ type: 'webhook.attempted', webhookId: id, deliveryId, attempt });
  }

  pending(hook: WebhookRecord): WebhookDeliveryRecord[] {
    return this.log(hook).filter(({ status }) => status === 'pending');
  }
}

test('an event is queued for each webhook whose filters match', (t) => {
  const fixture = new TestWebhooks();
  fixture.raise();
  fixture.run();
  t.equal(fixture.rows('notice'), 0, 'without a webhook nothing is stored');
  const otherFarm = fixture.createFarm({ name: 'G' });
  const all = fixture.create();
  const matching = [
    all,
    fixture.create({ events: ['job.failed'] }),
    fixture.create({ farmId: fixture.farm }),
    fixture.create({ queueId: fixture.queue }),
    fixture.create({ owner: 'ANN' }),
  ];
  const others = [
    fixture.create({ events: ['job.completed', 'worker.offline'] }),
    fixture.create({ farmId: otherFarm }),
    fixture.create({ owner: 'bob' }),
    fixture.create({ enabled: false }),
  ];
  fixture.takeOutputs();
  fixture.raise();
  fixture.run();
  const outputs = fixture.takeOutputs();
  for (const hook of matching) t.equal(fixture.ordered(hook, outputs), 1);
  for (const hook of others) t.equal(fixture.log(hook).length, 0);
  t.equal(fixture.rows('notice'), 0, 'the row of the event is removed');
  const [delivery] = fixture.log(all);
  const event = fixture.store.get('webhookEvent', keys.webhookDelivery(all.id, delivery?.id ?? ''))?.event;
  t.match(event, { type: 'job.failed', farm: { name: 'F' }, queue: { name: 'Q' }, job: { name: 'job 2' } });
  t.end();
});

test('a failed delivery is retried with growing delays until its time has passed', (t) => {
  const fixture = new TestWebhooks();
  const hook = fixture.create();
  fixture.raise();
  fixture.run();
  const [first] = fixture.pending(hook);
  if (first === undefined) throw new Error('there is no delivery');
  const startedAt = fixture.now;
  let attempts = 0;
  let lastDelay = 0;
  for (; fixture.pending(hook).length > 0; attempts++) {
    t.equal(fixture.ordered(hook), 1, 'one request at a time');
    fixture.attempted(hook, first.id, attempts % 2 === 0 ? null : 500);
    const [waiting] = fixture.pending(hook);
    if (waiting === undefined) break;
    const delay = (waiting.nextAt ?? 0) - fixture.now;
    t.ok(delay >= Math.min(lastDelay, 1_800_000) && delay <= 3_600_000);
    lastDelay = delay;
    fixture.advance(delay - 1);
    t.equal(fixture.ordered(hook), 0, 'not earlier');
    fixture.advance(1);
  }
  const [given] = fixture.log(hook);
  t.match(given, { id: first.id, status: 'failed', nextAt: null, lastAttempt: { error: 'failed' } });
  t.ok(attempts > 20 && attempts < 60, `${attempts} attempts`);
  t.ok(fixture.now - startedAt < DAY && fixture.now - startedAt > DAY - 2 * 3_600_000);
  t.equal(fixture.rows('webhookEvent'), 0);
  t.match(fixture.hook(hook).health, { pending: 0, failures: given?.attempts, lastError: 'failed' });
  t.end();
});

test('retries continue after a restart at their time', (t) => {
  const fixture = new TestWebhooks();
  const hook = fixture.create();
  fixture.raise(2);
  fixture.run();
  const [failed, running] = fixture.pending(hook);
  if (failed === undefined || running === undefined) throw new Error('there are no deliveries');
  fixture.attempted(hook, failed.id, 503);
  const nextAt = fixture.pending(hook)[0]?.nextAt ?? 0;
  fixture.takeOutputs();
  fixture.restart();
  t.equal(fixture.ordered(hook), 1, 'the one without an outcome is sent again at once');
  fixture.advance(nextAt - fixture.now);
  t.equal(fixture.ordered(hook), 0, 'of a failing webhook only one is sent at a time');
  fixture.attempted(hook, running.id, 200);
  t.equal(fixture.ordered(hook), 1);
  fixture.attempted(hook, failed.id, 200);
  t.strictSame(
    fixture.log(hook).map(({ status, attempts }) => [status, attempts]),
    [
      ['delivered', 2],
      ['delivered', 1],
    ],
  );
  t.end();
});

test('no event is lost, and none is queued twice, wherever the service is killed', (t) => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({ events: fc.integer({ min: 0, max: 4 }), windows: fc.integer({ min: 0, max: 4 }) }),
        {
          minLength: 1,
          maxLength: 8,
          size: 'max',
        },
      ),
      (steps) => {
        const fixture = new TestWebhooks();
        const hook = fixture.create();
        const stored = new Set<string>();
        for (const { events, windows } of steps) {
          fixture.forWindows(windows, () => fixture.raise(events));
          for (const { key } of fixture.store.scan('notice')) stored.add(key);
          for (const { eventId } of fixture.log(hook)) stored.add(eventId);
          fixture.restart();
        }
        const queued = fixture.log(hook).map(({ eventId }) => eventId);
        return (
          fixture.rows('notice') === 0 &&
          new Set(queued).size === queued.length &&
          [...stored].every((id) => queued.includes(id))
        );
      },
    ),
    { numRuns: 60 },
  );
  t.end();
});

test('10,000 events for a dead receiver fill its queue, and the gap is recorded', (t) => {
  const fixture = new TestWebhooks();
  const dead = fixture.create();
  const alive = fixture.create();
  fixture.takeOutputs();
  for (let batch = 0; batch < 20; batch++) {
    fixture.raise(500);
    fixture.run();
    for (const { id } of fixture.pending(alive)) fixture.attempted(alive, id, 200);
    for (const { id } of fixture.pending(dead).slice(0, 4)) fixture.attempted(dead, id, null);
    t.ok(
      fixture.rows('webhookDelivery') <= 2 * (QUEUE_MAX + LOG_MAX) &&
        fixture.rows('webhookEvent') <= 2 * QUEUE_MAX,
    );
  }
  t.equal(fixture.rows('notice'), 0);
  t.equal(fixture.pending(alive).length, 0, 'the other webhook got everything');
  t.equal(fixture.hook(alive).health.missedTotal, 0);
  const missed = 10_000 - QUEUE_MAX;
  t.match(fixture.hook(dead).health, { pending: QUEUE_MAX, missed, missedTotal: missed });
  t.equal(fixture.takeWarnings().filter((text) => /queue of a webhook is full/.test(text)).length, 1);
  const [first] = fixture.pending(dead);
  fixture.attempted(dead, first?.id ?? '', 200);
  fixture.raise();
  fixture.run();
  t.equal(fixture.pending(dead).at(-1)?.missedBefore, missed, 'the next event says how many are missing');
  t.match(fixture.hook(dead).health, { missed: 0, missedTotal: missed });
  t.end();
});

test('dead receivers do not take all requests', (t) => {
  const fixture = new TestWebhooks();
  const dead = Array.from({ length: 40 }, () => fixture.create());
  fixture.raise();
  fixture.run();
  for (const hook of dead) for (const { id } of fixture.pending(hook)) fixture.attempted(hook, id, null);
  fixture.takeOutputs();
  fixture.raise(20);
  fixture.run();
  const outputs = fixture.takeOutputs();
  const sent = dead.map((hook) => fixture.ordered(hook, outputs));
  t.ok(Math.max(...sent) <= 1, 'one of each');
  t.ok(sent.reduce((sum, each) => sum + each, 0) <= 16);
  const alive = fixture.create();
  fixture.takeOutputs();
  fixture.raise(10);
  fixture.run();
  t.equal(fixture.ordered(alive), 4, 'another webhook is not delayed');
  t.end();
});

test('410 disables a webhook; enabled again, it continues', (t) => {
  const fixture = new TestWebhooks();
  const hook = fixture.create();
  fixture.raise(6);
  fixture.run();
  fixture.takeOutputs();
  fixture.attempted(hook, fixture.pending(hook)[0]?.id ?? '', 410);
  t.match(fixture.hook(hook), { enabled: false, disabledReason: 'gone' });
  fixture.raise();
  fixture.run();
  t.equal(fixture.pending(hook).length, 5, 'nothing new is queued');
  t.equal(fixture.ordered(hook), 0);
  fixture.tell({
    type: 'webhook.replace',
    webhookId: hook.id,
    input: { ...INPUT, url: null },
    replyTo: fixture.client(),
  });
  t.match(fixture.hook(hook), { enabled: true, disabledReason: null, url: INPUT.url });
  for (const { id } of fixture.pending(hook)) fixture.attempted(hook, id, 200);
  t.equal(fixture.pending(hook).length, 0);
  t.end();
});

test('a test is sent once, also while the webhook is disabled, and its reply is the outcome', (t) => {
  const fixture = new TestWebhooks();
  const hook = fixture.create({ enabled: false });
  fixture.takeOutputs();
  const test = (): void =>
    fixture.tell({ type: 'webhook.test', webhookId: hook.id, replyTo: fixture.client() });
  test();
  t.equal(fixture.ordered(hook), 1);
  t.equal(fixture.lastAnswer(), undefined, 'no reply yet');
  const [delivery] = fixture.pending(hook);
  test();
  t.match(fixture.lastAnswer(), { ok: false, problem: { kind: 'conflict' } });
  fixture.attempted(hook, delivery?.id ?? '', 500);
  t.match(fixture.answer('request 2'), {
    ok: true,
    value: { status: 'failed', attempts: 1, type: 'webhook.test' },
  });
  t.match(fixture.hook(hook).health, { failures: 0, pending: 0 }, 'tests do not count');
  test();
  fixture.restart();
  t.match(fixture.log(hook).at(-1), { status: 'failed' }, 'a test does not outlive its request');
  t.end();
});

test('a deleted webhook leaves nothing, and a key is replaced for a day of both', (t) => {
  const fixture = new TestWebhooks();
  const hook = fixture.create();
  fixture.tell({
    type: 'webhook.rotate-secret',
    webhookId: hook.id,
    secret: 'next',
    replyTo: fixture.client(),
  });
  t.match(fixture.hook(hook), { secret: 'next', previousSecret: { secret: 's', until: fixture.now + DAY } });
  fixture.raise(3);
  fixture.run();
  const [delivery] = fixture.pending(hook);
  fixture.attempted(hook, delivery?.id ?? '', 500);
  fixture.tell({ type: 'webhook.delete', webhookId: hook.id, replyTo: fixture.client() });
  t.strictSame(
    [fixture.hooks().length, fixture.rows('webhookDelivery'), fixture.rows('webhookEvent')],
    [0, 0, 0],
  );
  fixture.attempted(hook, delivery?.id ?? '', 200);
  fixture.advance(DAY);
  fixture.raise();
  fixture.run();
  t.equal(fixture.rows('notice'), 0);
  for (const type of ['webhook.delete', 'webhook.test'] as const) {
    fixture.tell({ type, webhookId: hook.id, replyTo: fixture.client() });
    t.match(fixture.lastAnswer(), { ok: false, problem: { kind: 'not-found' } });
  }
  t.end();
});

test('the log keeps the last ended deliveries, and webhooks of a deleted account are disabled', (t) => {
  const fixture = new TestWebhooks();
  const hook = fixture.create();
  for (let each = 0; each < LOG_MAX + 30; each++) {
    fixture.raise();
    fixture.run();
    for (const { id } of fixture.pending(hook)) fixture.attempted(hook, id, 200);
  }
  t.equal(fixture.log(hook).length, LOG_MAX);
  t.equal(fixture.rows('webhookEvent'), 0);
  fixture.tell({ type: 'webhooks.account-deleted', username: 'Bob' });
  t.equal(fixture.hook(hook).enabled, true);
  fixture.tell({ type: 'webhooks.account-deleted', username: 'ANN' });
  t.match(fixture.hook(hook), { enabled: false, disabledReason: 'account-deleted' });
  t.end();
});

test('a pool without a free slot for ten minutes is reported once, and again after it had one', (t) => {
  const fixture = new TestWebhooks();
  const hook = fixture.create({ events: ['pool.exhausted'] });
  fixture.createPool('nuke', { maxConcurrent: 2 });
  fixture.createPool('off', { maxConcurrent: 0 });
  const { slot } = fixture.pool('nuke');
  const use = (count: number): void => fixture.tallies.setShare(fixture.farm, slot, count);
  use(1);
  fixture.advance(1_200_000);
  t.equal(fixture.log(hook).length, 0);
  use(2);
  fixture.advance(590_000);
  t.equal(fixture.log(hook).length, 0);
  fixture.advance(60_000);
  t.equal(fixture.log(hook).length, 1);
  fixture.advance(3_600_000);
  t.equal(fixture.log(hook).length, 1, 'once');
  use(1);
  fixture.advance(30_000);
  use(2);
  fixture.advance(700_000);
  t.equal(fixture.log(hook).length, 2);
  t.end();
});

test('jobs and workers of a farm raise events', (t) => {
  const fixture = new TestWebhooks();
  const hook = fixture.create();
  fixture.register('w1');
  fixture.submit('A', [{ name: 'S', tasks: 1 }]);
  fixture.cancelJob('A');
  fixture.beating.delete('w1');
  fixture.advance(61_000);
  t.strictSame(
    fixture.log(hook).map(({ type }) => type),
    ['job.canceled', 'worker.offline'],
  );
  t.end();
});
