import { test } from 'tap';
import { explainTask } from '../../../src/core/explain/explain-task.ts';
import { workerId } from '../../../src/core/ids.ts';
import type { DoubtedWorker } from '../../../src/core/records/worker-evidence.ts';
import { leaseExplanation, NOW, stepRecord, taskFacts } from '../../kit/explain-parts.ts';

const doubt = (some: Partial<DoubtedWorker> = {}): DoubtedWorker => ({
  workerId: workerId('w1'),
  kind: 'quarantined',
  since: NOW - 1000,
  reason: 'why',
  isWhole: true,
  ...some,
});

test('explains that workers are in quarantine, after the position of the task', (t) => {
  const doubted = [doubt(), doubt({ kind: 'suspected', isWhole: false }), doubt(), doubt()];
  const { gates, summary } = explainTask(taskFacts({ lease: leaseExplanation({ workers: { doubted } }) }));
  t.strictSame(
    gates.map(({ gate }) => gate),
    ['quarantine', 'cores'],
  );
  t.match(gates[0], {
    reason: 'workers in quarantine',
    sentence:
      /^Worker \S+ is in quarantine \(why\), worker \S+ is under suspicion for the step \(why\) and 2 more workers likewise\.$/,
    doubted: [{ worker: { id: 'w1' }, kind: 'quarantined', isWhole: true }, {}, {}, {}],
  });
  t.match(
    summary,
    /^Ready, and next in line: 14 of 14 eligible workers are busy; worker \S+ is in quarantine \(why\)/,
  );
  t.end();
});

test('a quarantine is a reason to wait if there is no other worker', (t) => {
  const lease = leaseExplanation({ workers: { online: 0, eligible: 0, doubted: [doubt()] } });
  const { gates, summary } = explainTask(taskFacts({ lease }));
  t.strictSame(
    gates.map(({ gate }) => gate),
    ['workers', 'quarantine'],
  );
  t.match(summary, /besides, 1 worker that could run it is in quarantine\.$/);
  t.end();
});

test('explains that canary tasks are tried first', (t) => {
  const retry = { maxAttempts: 3, retryDelaySeconds: 10, failureLimit: 0, canaryTasks: true };
  const step = { ...stepRecord(0, 'Render'), taskCount: 100 };
  const { gates, summary } = explainTask(taskFacts({ step, retry, index: 7 }));
  t.match(gates[0], { gate: 'canary', indices: [0, 49, 99], step: { name: 'Render' } });
  t.match(
    summary,
    /^The first, the middle and the last task of step Render are tried before the others: 0 of 3 have ended/,
  );
  for (const facts of [
    { step, retry, index: 49 },
    { step, index: 7 },
  ])
    t.notOk(explainTask(taskFacts(facts)).gates.some(({ gate }) => gate === 'canary'));
  t.end();
});
