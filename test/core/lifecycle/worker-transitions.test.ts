import { test } from 'tap';
import {
  mayDeleteWorker,
  nextWorkerStatus,
  WORKER_TRANSITIONS,
  type WorkerTransition,
  type WorkerTrigger,
} from '../../../src/core/lifecycle/worker-transitions.ts';
import type { WorkerStatus } from '../../../src/core/records/worker.ts';

type From = WorkerTransition['from'];

/** Statements of the contract about workers, with the corresponding data. */
interface SpecifiedRule {
  readonly rule: string;
  readonly means: readonly WorkerTransition[];
}

const means = (froms: readonly From[], trigger: WorkerTrigger, to: From): WorkerTransition[] =>
  froms.map((from) => ({ from, trigger, to }));

const STATUSES: readonly WorkerStatus[] = ['online', 'offline', 'disabled'];

const SPECIFIED: readonly SpecifiedRule[] = [
  {
    rule: 'docs/contract/workers.md: a worker whose last heartbeat is older than the timeout becomes offline',
    means: means(['online'], 'timeout', 'offline'),
  },
  {
    rule: 'docs/contract/workers.md: POST disable makes a worker disabled',
    means: means(STATUSES, 'disable', 'disabled'),
  },
  {
    rule: 'docs/contract/workers.md: enable brings a worker back to online when its heartbeat is fresh, else offline',
    means: [
      ...means(['disabled'], 'enable while alive', 'online'),
      ...means(['disabled'], 'enable while silent', 'offline'),
    ],
  },
  {
    rule: 'docs/contract/workers.md: a hard delete is allowed for offline workers, or disabled ones whose last heartbeat is older than the window',
    means: [
      ...means(['offline'], 'delete while alive', null),
      ...means(['offline', 'disabled'], 'delete while silent', null),
    ],
  },
  {
    rule: 'docs/contract/bus.md: registration, liveness, graceful departure',
    means: [
      ...means([null, 'online', 'offline'], 'register', 'online'),
      ...means(['online', 'offline'], 'heartbeat', 'online'),
      ...means(['online', 'offline'], 'deregister', 'offline'),
    ],
  },
];

/** Transitions that the contract does not mention, with the reason. */
const BEYOND_THE_CONTRACT: readonly { readonly rows: readonly WorkerTransition[]; readonly why: string }[] = [
  {
    rows: (['register', 'heartbeat', 'deregister', 'timeout'] as const).flatMap((trigger) =>
      means(['disabled'], trigger, 'disabled'),
    ),
    why: 'only a user reverses a disable: neither a new start of the daemon nor its silence does',
  },
  {
    rows: [
      ...means(['online'], 'enable while alive', 'online'),
      ...means(['online'], 'enable while silent', 'online'),
      ...means(['offline'], 'enable while alive', 'offline'),
      ...means(['offline'], 'enable while silent', 'offline'),
    ],
    why: 'enable reverses disable: a worker that is not disabled keeps its status',
  },
];

const text = (row: WorkerTransition): string =>
  `${row.from ?? '(none)'} --${row.trigger}--> ${row.to ?? '(removed)'}`;

test('the worker table has exactly the rules of the contract', (t) => {
  const wanted = [
    ...SPECIFIED.flatMap((rule) => rule.means),
    ...BEYOND_THE_CONTRACT.flatMap(({ rows }) => rows),
  ].map(text);
  t.strictSame(WORKER_TRANSITIONS.map(text).sort(), wanted.sort());
  t.equal(new Set(wanted).size, wanted.length, 'no duplicate rows');
  t.end();
});

test('a trigger has one target status for each status', (t) => {
  const starts = WORKER_TRANSITIONS.map((row) => `${row.from ?? ''} ${row.trigger}`);
  t.equal(new Set(starts).size, starts.length);
  t.end();
});

test('each trigger has the expected target for each status', (t) => {
  const wanted: readonly (readonly [Parameters<typeof nextWorkerStatus>[1], readonly WorkerStatus[]])[] = [
    ['register', ['online', 'online', 'disabled']],
    ['heartbeat', ['online', 'online', 'disabled']],
    ['deregister', ['offline', 'offline', 'disabled']],
    ['timeout', ['offline', 'offline', 'disabled']],
    ['disable', ['disabled', 'disabled', 'disabled']],
    ['enable while alive', ['online', 'offline', 'online']],
    ['enable while silent', ['online', 'offline', 'offline']],
  ];
  for (const [trigger, statuses] of wanted) {
    t.strictSame(
      STATUSES.map((from) => nextWorkerStatus(from, trigger)),
      statuses,
      `${trigger}: from online, offline, disabled`,
    );
  }
  t.strictSame(
    STATUSES.map((from) => mayDeleteWorker(from, 'delete while alive')),
    [false, true, false],
  );
  t.strictSame(
    STATUSES.map((from) => mayDeleteWorker(from, 'delete while silent')),
    [false, true, true],
  );
  t.end();
});
