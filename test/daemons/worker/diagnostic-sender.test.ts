import { test } from 'tap';
import { DiagnosticSender } from '../../../daemons/worker/diagnostic-sender.ts';
import { note } from '../../../src/core/diagnostics/record.ts';
import { workerId } from '../../../src/core/ids.ts';
import type { SendOutcome } from '../../../src/core/ports/bus.ts';
import type { DiagnosticMessage } from '../../../src/core/wire/bus-messages.ts';
import { parseDiagnostic } from '../../../src/core/wire/worker-messages.ts';

const WORKER = workerId('0190f3c2-0000-7222-8333-444455556666');

/** A sender of a worker that is registered. */
function open(isWelcome = true) {
  const sent: DiagnosticMessage[] = [];
  const world = { outcome: 'sent' as SendOutcome, now: 0 };
  const sender = new DiagnosticSender({
    workerId: WORKER,
    publish: (message) => {
      if (world.outcome === 'sent') sent.push(message);
      return world.outcome;
    },
    wallClock: () => 1_795_233_906_123 + world.now,
    monotonicClock: () => world.now,
  });
  if (isWelcome) sender.flush();
  return { sender, sent, world };
}

test('a record is sent immediately and can be parsed by the service', (t) => {
  const { sender, sent } = open();
  sender.heard(note('WARN', 'outbox', { reason: 'why' }));
  sender.heard(note('INFO', 'm'.repeat(9000), { ['x'.repeat(99)]: '"'.repeat(9000) }));
  t.strictSame(sent[0], {
    v: 1,
    worker_id: WORKER,
    at: '2026-11-21T04:05:06.123000000Z',
    level: 'WARN',
    msg: 'outbox',
    attrs: { reason: 'why' },
  });
  t.equal(sent[1]?.at, '2026-11-21T04:05:06.123000001Z', 'timestamps are unique');
  for (const message of sent)
    t.strictSame(parseDiagnostic(JSON.stringify(message)), { ok: true, value: message });
  t.end();
});

test('nothing is sent before the worker is registered', (t) => {
  const { sender, sent } = open(false);
  sender.heard(note('INFO', 'a', {}));
  t.strictSame(sent, []);
  sender.flush();
  sender.heard(note('INFO', 'b', {}));
  t.strictSame(
    sent.map(({ msg }) => msg),
    ['a', 'b'],
  );
  t.end();
});

test('a flood is truncated, and the number of dropped records is sent later', (t) => {
  const { sender, sent, world } = open();
  for (let each = 0; each < 1000; each++) sender.heard(note('INFO', String(each), {}));
  t.equal(sent.length, 200);
  t.equal(sent.at(-1)?.msg, '199');
  world.now = 1000;
  sender.heard(note('INFO', 'later', {}));
  t.match(sent.slice(200), [
    {
      level: 'WARN',
      msg: 'too many records of this worker; some were dropped',
      attrs: { records: '800' },
    },
    { level: 'INFO', msg: 'later' },
  ]);
  t.end();
});

test('the last records from an outage are sent with the next record, in order', (t) => {
  const { sender, sent, world } = open();
  world.outcome = 'disconnected';
  sender.heard(note('INFO', 'a', {}));
  sender.heard(note('INFO', 'b', {}));
  sender.flush();
  t.strictSame(sent, []);
  world.outcome = 'sent';
  sender.heard(note('INFO', 'c', {}));
  t.strictSame(sent, [], 'a new record waits behind the pending ones');
  sender.flush();
  t.strictSame(
    sent.map(({ msg }) => msg),
    ['a', 'b', 'c'],
  );
  world.outcome = 'disconnected';
  for (let each = 0; each < 30; each++) {
    world.now += 1000;
    for (let of20 = 0; of20 < 20; of20++) sender.heard(note('INFO', `${each}/${of20}`, {}));
  }
  world.outcome = 'sent';
  sent.length = 0;
  sender.flush();
  t.equal(sent.length, 256);
  t.equal(sent.at(-1)?.msg, '29/19');
  t.end();
});
