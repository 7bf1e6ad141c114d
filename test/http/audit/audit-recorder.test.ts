import { test } from 'tap';
import {
  AuditRecorder,
  BATCH_MAX,
  WAITING_MAX,
  type RecorderPorts,
} from '../../../http/audit/audit-recorder.ts';
import type { AuditInput } from '../../../http/audit/audit.ts';
import { replyTo } from '../../../actors/kernel/address.ts';
import type { ServiceEnvelope } from '../../../actors/service/service-messages.ts';
import { done, refused, type Outcome } from '../../../src/core/problems.ts';
import type { AuditEvent } from '../../../src/core/records/audit-entry.ts';

const DENIED: AuditInput = {
  actor: '',
  actorId: null,
  method: 'GET',
  path: '/api/v1/jobs',
  operation: 'listJobs',
  permission: 'jobs.read',
  status: 401,
  outcome: 'denied',
  reason: 'there was no credential',
  targets: [],
  targetCount: 0,
  requestId: 'r1',
  remoteAddress: '10.0.0.1',
};
const CHANGED: AuditInput = { ...DENIED, actorId: 'u1', status: 201, outcome: 'changed', reason: null };

/** A recorder whose waits end when the test says so. */
function fixture() {
  const batches: (readonly AuditEvent[])[] = [];
  const logged: { readonly text: string; readonly attributes: Readonly<Record<string, string>> }[] = [];
  const waits: (() => void)[] = [];
  const made = {
    batches,
    logged,
    waits,
    steadyNow: 0,
    answer: (): Outcome<null> => done(null),
  };
  let ids = 0;
  const ports: RecorderPorts = {
    actors: {
      ask: async <Answer>(make: (to: ReturnType<typeof replyTo>) => ServiceEnvelope) => {
        await Promise.resolve();
        const { actor, message } = make(replyTo('test'));
        if (actor === 'audit' && message.type === 'audit.record') batches.push(message.events);
        // The reply of the audit actor, which is null.
        return made.answer() as Outcome<Answer>;
      },
      tell: () => undefined,
      submit: () => Promise.reject(new Error('not used')),
    },
    newId: () => `id ${++ids}`,
    log: (_level, text, attributes) => logged.push({ text, attributes }),
    steadyNow: () => made.steadyNow,
    delay: (_milliseconds, signal) =>
      new Promise((resolve) => {
        waits.push(resolve);
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve());
      }),
  };
  return Object.assign(made, { recorder: new AuditRecorder(ports) });
}

test('a change is stored at once, and its result is reported', async (t) => {
  const kit = fixture();
  t.equal(await kit.recorder.record(CHANGED), true);
  t.match(kit.batches, [[{ id: 'id 1', dropped: 0, outcome: 'changed' }]]);
  kit.answer = () => refused('unavailable', 'the service is stopping');
  t.equal(await kit.recorder.record(CHANGED), false);
  kit.answer = () => {
    throw new Error('the shard has ended');
  };
  t.equal(await kit.recorder.record(CHANGED), false);
  t.match(kit.logged, [
    { attributes: { error: 'the service is stopping', request_id: 'r1' } },
    { attributes: { error: 'the shard has ended' } },
  ]);
});

test('denials wait for a batch, and a stop stores them without delay', async (t) => {
  const kit = fixture();
  for (let each = 0; each < BATCH_MAX + 1; each++) kit.recorder.recordLater(DENIED);
  t.equal(kit.waits.length, 1, 'one batch waits');
  t.equal(kit.batches.length, 0);
  await kit.recorder.flush();
  t.same(
    kit.batches.map((batch) => batch.length),
    [BATCH_MAX, 1],
  );
  await kit.recorder.flush();
  t.equal(kit.batches.length, 2, 'each is stored once');
});

test('too many denials are dropped and counted, and the next entry and the log say how many', async (t) => {
  const kit = fixture();
  for (let each = 0; each < WAITING_MAX + 7; each++) kit.recorder.recordLater(DENIED);
  await kit.recorder.flush();
  t.equal(kit.batches.flat().length, WAITING_MAX);
  kit.recorder.recordLater({ ...DENIED, requestId: 'after' });
  await kit.recorder.flush();
  t.match(kit.batches.at(-1), [{ requestId: 'after', dropped: 7 }]);
  t.match(
    kit.logged.filter(({ text }) => text.startsWith('denied requests were not recorded')),
    [{ attributes: { count: '7' } }],
  );
});

test('the log has the first denials, and counts the others', async (t) => {
  const kit = fixture();
  for (let each = 0; each < 150; each++) kit.recorder.recordLater(DENIED);
  const records = (): typeof kit.logged => kit.logged.filter(({ text }) => text === 'a request was denied');
  t.equal(records().length, 100);
  t.match(records()[0], {
    attributes: { status: '401', reason: 'there was no credential', remote_addr: '10.0.0.1' },
  });
  kit.steadyNow = 1_000;
  kit.recorder.recordLater(DENIED);
  t.equal(records().at(-1)?.attributes['denied_before_without_record'], '50');
  await kit.recorder.flush();
});
