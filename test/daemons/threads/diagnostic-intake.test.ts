import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'tap';
import { DiagnosticIntake, workerLookup } from '../../../daemons/threads/diagnostic-intake.ts';
import type { LogNotice } from '../../../daemons/threads/log-protocol.ts';
import { nanosOf } from '../../../src/core/diagnostics/nano-time.ts';
import { parseDiagnostic } from '../../../src/core/wire/worker-messages.ts';
import { workerId } from '../../../src/core/ids.ts';
import { uuid } from '../../http/kit/records.ts';

const WORKER = workerId(uuid('e', 1));
const OTHER = workerId(uuid('e', 2));
const AT = '2026-11-21T04:05:06.5Z';

const message = (some: object = {}): string =>
  JSON.stringify({ v: 1, worker_id: WORKER, at: AT, level: 'WARN', msg: 'outbox', attrs: {}, ...some });

function open() {
  const told: LogNotice[] = [];
  const world = { now: 0, reads: 0 };
  const intake = new DiagnosticIntake({
    isWorker: (id) => id === WORKER || id === OTHER,
    tell: (notice) => told.push(notice),
    now: () => world.now,
  });
  const hear = (source: string, text: string): void =>
    intake.heard(source, () => {
      world.reads++;
      return parseDiagnostic(text);
    });
  return { intake, hear, told, world };
}

test('records of one turn are posted together, with their workers', async (t) => {
  const { hear, told } = open();
  hear(WORKER, message({ attrs: { worker_id: OTHER, reason: 'why' } }));
  hear(OTHER, message({ worker_id: OTHER, level: 'DEBUG' }));
  t.strictSame(told, []);
  await nextTurn();
  t.strictSame(told, [
    {
      v: 1,
      type: 'diagnosed',
      told: [
        {
          workerId: WORKER,
          at: nanosOf(AT),
          note: { level: 'WARN', msg: 'outbox', attrs: { worker_id: WORKER, reason: 'why' } },
        },
        {
          workerId: OTHER,
          at: nanosOf(AT),
          note: { level: 'DEBUG', msg: 'outbox', attrs: { worker_id: OTHER } },
        },
      ],
    },
  ]);
});

test('records of unknown workers, floods and invalid records are dropped, and reported once a minute', async (t) => {
  const { intake, hear, told, world } = open();
  hear('server', message());
  hear(uuid('e', 9), message({ worker_id: uuid('e', 9) }));
  t.equal(world.reads, 0, 'not even parsed');
  const malformed = [
    '',
    'nonsense',
    '[]',
    '['.repeat(50_000),
    message({ v: 2 }),
    message({ worker_id: OTHER }),
    message({ at: 'now' }),
    message({ level: 'FATAL' }),
    message({ msg: 'x'.repeat(4097) }),
    message({ attrs: { task_id: 7 } }),
    message({ attrs: { 'a\nb': '' } }),
    message({ attrs: Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`n${at}`, ''])) }),
    JSON.stringify('x'.repeat(600_000)),
  ];
  for (const text of malformed) hear(WORKER, text);
  for (let each = malformed.length; each < 600; each++) hear(WORKER, message());
  t.equal(world.reads, 500);
  hear(OTHER, message({ worker_id: OTHER }));
  await nextTurn();
  const records = told.flatMap((notice) => (notice.type === 'diagnosed' ? notice.told : []));
  t.equal(
    records.length,
    500 - malformed.length + 1,
    'records of another worker are accepted during the flood',
  );
  told.length = 0;
  intake.reportDropped();
  const dropped = (unknown: number, flooding: number, bad: number) => ({
    v: 1,
    type: 'log',
    level: 'warn',
    text: 'diagnostic records of workers were dropped',
    attributes: { unknown: String(unknown), flooding: String(flooding), malformed: String(bad) },
  });
  t.strictSame(told, [dropped(2, 100, malformed.length)]);
  hear('server', message());
  world.now = 59_999;
  intake.reportDropped();
  t.equal(told.length, 1);
  world.now = 60_000;
  intake.reportDropped();
  t.strictSame(told[1], dropped(1, 0, 0));
  intake.reportDropped();
  t.equal(told.length, 2);
  hear(WORKER, message());
  await nextTurn();
  t.equal(told.length, 3, 'records are accepted again after the flood');
});

test('an unknown worker is looked up again once a second', (t) => {
  const known = new Set<string>();
  let stored: string | null = null;
  let refreshes = 0;
  let now = 0;
  const isWorker = workerLookup(
    {
      get: (_table, key) => (known.has(key) ? {} : undefined),
      refresh: () => {
        refreshes++;
        if (stored !== null) known.add(stored);
      },
    },
    () => now,
  );
  t.notOk(isWorker(WORKER));
  stored = WORKER;
  t.notOk(isWorker(WORKER));
  t.equal(refreshes, 1);
  now = 1000;
  t.ok(isWorker(WORKER));
  t.ok(isWorker(WORKER));
  t.equal(refreshes, 2);
  t.end();
});
