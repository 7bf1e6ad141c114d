import { test } from 'tap';
import { decisiveStepOf, isWaitingJob, isWaitingStep } from '../../../src/core/explain/waiting-work.ts';
import { counts, jobRecord, stepRecord } from '../../kit/explain-parts.ts';

void test('a job waits while tasks are left and none is live', async (t) => {
  const waits = (status: Parameters<typeof isWaitingJob>[0]['status'], some: Parameters<typeof counts>[0]) =>
    isWaitingJob(jobRecord({ status, taskCounts: counts(some) }));
  t.equal(waits('pending', { ready: 2 }), true);
  t.equal(waits('running', { pending: 2, succeeded: 1 }), true);
  t.equal(waits('running', { ready: 2, running: 1 }), false);
  t.equal(waits('running', { ready: 2, assigned: 1 }), false);
  t.equal(waits('running', { ready: 2, running: 1, unschedulable: 2 }), true, 'some can never start');
  t.equal(waits('paused', { ready: 2, running: 1 }), true);
  t.equal(waits('blocked', { ready: 2 }), true);
  t.equal(waits('paused', { running: 1 }), false, 'no task is left');
  for (const status of ['completed', 'failed', 'canceled'] as const)
    t.equal(waits(status, { ready: 2 }), false, status);
});

void test('a step waits while tasks are left and none is live', async (t) => {
  const waits = (status: Parameters<typeof isWaitingStep>[0]['status'], some: Parameters<typeof counts>[0]) =>
    isWaitingStep(stepRecord(0, 's', { status, taskCounts: counts(some) }));
  t.equal(waits('pending', { pending: 2 }), true);
  t.equal(waits('running', { ready: 2, running: 1 }), false);
  t.equal(waits('failed', { pending: 2 }), false);
  t.equal(waits('running', { running: 2 }), false);
});

void test('the step that needs an action stands for the job', async (t) => {
  const pending = stepRecord(0, 'pending', { taskCounts: counts({ pending: 1 }) });
  const ready = stepRecord(1, 'ready', { taskCounts: counts({ ready: 1 }) });
  const stuck = stepRecord(2, 'stuck', { taskCounts: counts({ ready: 1, unschedulable: 1 }) });
  const failed = stepRecord(3, 'failed', { status: 'failed', taskCounts: counts({ ready: 1 }) });
  const chosen = (...steps: Parameters<typeof decisiveStepOf>[0]): string | undefined =>
    decisiveStepOf(steps)?.name;
  t.equal(chosen(pending, ready, stuck), 'stuck');
  t.equal(chosen(pending, ready), 'ready');
  t.equal(chosen(failed, pending), 'pending');
  t.equal(chosen(failed), undefined);
});
