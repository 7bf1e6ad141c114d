import type { JobState } from '../../actors/service/job/state.ts';
import { handle, type Mutant } from './mutant.ts';

/** Mutants of preemption (docs/policy.md#preemption). */
export const PREEMPTION_MUTANTS: readonly Mutant[] = [
  {
    name: 'tasks of every queue are taken back',
    plant: handle('lease', 'queue.limits-changed', (state, message, context, original) => {
      original(state, { ...message, preemption: { ...message.preemption, preemptible: true } }, context);
    }),
  },
  {
    name: 'tasks are taken back without a wait',
    plant: handle('lease', 'queue.limits-changed', (state, message, context, original) => {
      const { preemptAfterSeconds } = message.preemption;
      const preemption =
        preemptAfterSeconds === undefined
          ? message.preemption
          : { ...message.preemption, preemptAfterSeconds: 0 };
      original(state, { ...message, preemption }, context);
    }),
  },
  {
    name: 'a task is taken back again and again',
    plant: handle('job', 'attempts.survey', (state, message, context, original) => {
      (state as JobState).ruleUses.clear();
      original(state, message, context);
    }),
  },
  {
    name: 'a task that is taken back counts as a failure of the job',
    plant: handle('job', 'attempts.preempt', (state, message, context, original) => {
      original(state, message, context);
      const job = state as JobState;
      job.record = { ...job.record, failedAttempts: job.record.failedAttempts + 1 };
    }),
  },
  {
    name: 'the resources of a task that is taken back are free at once',
    plant: handle('worker', 'attempts.released', (state, message, context, original) => {
      const { areTakenBack: _areTakenBack, ...released } = message;
      original(state, released, context);
    }),
  },
  {
    name: 'the resources of a task that was taken back stay booked',
    plant: handle('worker', 'attempts.ended', (state, message, context, original) => {
      const worker = state as { ending: unknown };
      const { ending } = worker;
      worker.ending = null;
      original(state, message, context);
      worker.ending = ending;
    }),
  },
];
