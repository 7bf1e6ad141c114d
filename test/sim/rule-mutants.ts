import type { JobState } from '../../actors/service/job/state.ts';
import type { StepState } from '../../actors/service/job/step-state.ts';
import type { LeaseState } from '../../actors/service/lease/state.ts';
import type { ReadyStep } from '../../actors/service/lease/messages.ts';
import { attemptIdOf, parseAttemptId, type FarmId } from '../../src/core/ids.ts';
import { moveCounts } from '../../src/core/lifecycle/task-counts.ts';
import { keys } from '../../src/core/records/tables.ts';
import { pageOf, readTask, writeTask, type TaskState } from '../../src/core/records/task-page.ts';
import { EXPR_MEMORY_BYTES } from './options.ts';
import { handle, droppingMessages, type Mutant, withDefinitions } from './mutant.ts';
import { contextWith, type AnyContext } from './watch-turns.ts';

/** Changes the record of a task in place, without the actor. */
function patchTask(step: StepState | undefined, index: number, patch: (task: TaskState) => TaskState): void {
  const page = step?.pages.get(pageOf(index));
  const task = page === undefined ? null : readTask(page, index);
  if (page !== undefined && task !== null) writeTask(page, index, patch(task));
}

/** Changes each step offer. */
const offering = (change: (offer: ReadyStep, lease: LeaseState) => ReadyStep): Mutant['plant'] =>
  handle('lease', 'steps.ready', (state, message, context, original) => {
    const lease = state as LeaseState;
    original(lease, { ...message, offers: message.offers.map((offer) => change(offer, lease)) }, context);
  });

/** Changes each sent message of one kind. */
const dropping = (context: AnyContext, type: Parameters<typeof droppingMessages>[1]): AnyContext =>
  contextWith(context, { send: droppingMessages(context, type) });

const withoutAttempts = (context: AnyContext): AnyContext =>
  contextWith(context, {
    change: (made) => {
      if (made.table !== 'attempt') context.change(made);
    },
  });

/** Messages that a reclaim has sent. */
const ofReclaims = new WeakSet<object>();

/** Bugs of the scheduling rules: other schedulers had each of them, or nearly had it. */
export const RULE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a retried job does not wait for its upstream jobs',
    plant: handle('job', 'job.reactivate', (state, message, context, original) => {
      original(state, { ...message, upstreams: { ...message.upstreams, isWaiting: false } }, context);
    }),
  },
  {
    name: 'a retried task does not wait for the end of its canceled attempt',
    plant: handle('worker', 'attempts.released', (state, message, context, original) => {
      original(state, message, context);
      for (const attempt of message.exiting)
        context.send('job', attempt.jobId, { type: 'attempts.exited', attemptIds: [attemptIdOf(attempt)] });
    }),
  },
  {
    name: 'tasks that change together have no events',
    plant: handle('job', 'job.cancel', (state, message, context, original) => {
      const effect: AnyContext['effect'] = (said) => {
        if (said.kind !== 'task-events') context.effect(said);
      };
      original(state, message, contextWith(context, { effect }));
    }),
  },
  {
    name: 'a reclaim does not release pool slots',
    plant: (build) => {
      const marking = handle('job', 'attempts.reclaim', (state, message, context, original) => {
        const send: AnyContext['send'] = (actor, id, sent) => {
          if (sent.type === 'tasks.ended') ofReclaims.add(sent);
          context.send(actor, id, sent);
        };
        original(state, message, contextWith(context, { send }));
      });
      const keeping = handle('lease', 'tasks.ended', (state, message, context, original) => {
        const effect: AnyContext['effect'] = (said) => {
          if (said.kind !== 'release' || !ofReclaims.has(message)) context.effect(said);
        };
        original(state, message, contextWith(context, { effect }));
      });
      return keeping(marking(build));
    },
  },
  {
    name: 'a delete does not end the live tasks',
    plant: handle('job', 'job.delete', (state, message, context, original) => {
      original(state, message, dropping(context, 'tasks.ended'));
    }),
  },
  {
    name: 'a step is promoted twice',
    plant: handle('job', 'tasks.reported', (state, message, context, original) => {
      const job = state as JobState;
      original(job, message, context);
      const reported = message.reports.map(({ attempt_id }) => parseAttemptId(attempt_id));
      for (const step of job.steps) {
        if (step.record.dependsOn.length === 0 || step.record.taskCounts.running === 0) continue;
        for (let index = 0; index < step.record.taskCount; index++) {
          const isReported = reported.some(
            (each) => each?.stepOrder === step.record.order && each.index === index,
          );
          if (isReported) continue;
          patchTask(step, index, (task) => {
            if (task.status !== 'running') return task;
            moveCounts(step.record.taskCounts, 'running', 'ready');
            return { ...task, status: 'ready', retryAfter: null };
          });
        }
      }
    }),
  },
  {
    name: 'a reclaim costs an attempt',
    plant: handle('job', 'attempts.reclaim', (state, message, context, original) => {
      const job = state as JobState;
      original(job, message, context);
      for (const attemptId of message.attemptIds) {
        const attempt = parseAttemptId(attemptId);
        if (attempt === null) continue;
        patchTask(job.steps[attempt.stepOrder], attempt.index, (task) =>
          task.status === 'ready' ? { ...task, failedAttempts: task.failedAttempts + 1 } : task,
        );
      }
    }),
  },
  {
    name: 'retry_after is ignored',
    plant: (build) => {
      const leasing = handle('lease', 'tasks.ready', (state, message, context, original) => {
        original(state, { ...message, until: null }, context);
      });
      const taking = handle('job', 'tasks.take', (state, message, context, original) => {
        const { stepOrder, ranges } = message.pick;
        for (const { start, count } of ranges) {
          for (let index = start; index < start + count; index++) {
            patchTask((state as JobState).steps[stepOrder], index, (task) => ({ ...task, retryAfter: null }));
          }
        }
        original(state, message, context);
      });
      return taking(leasing(build));
    },
  },
  {
    name: 'a park overrides a manual pause',
    plant: handle('job', 'tasks.reported', (state, message, context, original) => {
      const job = state as JobState;
      const { failedAttempts } = job.record;
      original(job, message, context);
      const limit = job.record.retry.failureLimit ?? job.inherited.failureLimit;
      const isTripped =
        job.record.failedAttempts > failedAttempts && limit > 0 && failedAttempts + 1 >= limit;
      if (isTripped && job.record.status === 'paused')
        job.record = { ...job.record, parkReason: 'failure limit reached' };
    }),
  },
  {
    name: 'a retry overrides a manual pause',
    plant: handle('job', 'job.retry', (state, message, context, original) => {
      const job = state as JobState;
      if (job.record.status === 'paused') job.record = { ...job.record, parkReason: 'failure limit reached' };
      original(job, message, context);
    }),
  },
  {
    name: 'a resume keeps the count of failures',
    plant: handle('job', 'job.update', (state, message, context, original) => {
      const job = state as JobState;
      const { failedAttempts } = job.record;
      original(job, message, context);
      job.record = { ...job.record, failedAttempts };
    }),
  },
  {
    name: 'the pause of a job does not reach the lease actor',
    plant: handle('job', 'job.update', (state, message, context, original) => {
      original(state, message, dropping(context, 'job.withdrawn'));
    }),
  },
  {
    name: 'a job that moves keeps the settings of its old queue',
    plant: handle('job', 'job.update', (state, message, context, original) => {
      const { inherited } = state as JobState;
      const queue = message.queue === null ? null : { ...message.queue, inherited };
      original(state, { ...message, queue }, context);
    }),
  },
  {
    name: 'the cap of a queue is off by one',
    plant: handle('lease', 'queue.limits-changed', (state, message, context, original) => {
      const { maxConcurrentTasks } = message;
      const more = maxConcurrentTasks === 0 ? 0 : maxConcurrentTasks + 1;
      original(state, { ...message, maxConcurrentTasks: more }, context);
    }),
  },
  {
    name: 'a disabled worker is served',
    plant: handle('lease', 'worker.offered', (state, message, context, original) => {
      const isDisabled = message.record.status === 'disabled';
      original(
        state,
        isDisabled ? { ...message, record: { ...message.record, status: 'online' } } : message,
        context,
      );
    }),
  },
  {
    name: 'a worker is not enabled at the time until which it is disabled',
    plant: handle('worker', 'disabled-until.due', () => undefined),
  },
  {
    name: 'a usage pool that is not registered has no limit',
    plant: offering((offer, { pools }) => ({
      ...offer,
      requirements: {
        ...offer.requirements,
        pools: offer.requirements.pools.filter((name) => pools.stateOf(name).maxConcurrent !== null),
      },
    })),
  },
  {
    name: 'a task holds one pool although its step names several',
    plant: offering((offer) => ({
      ...offer,
      requirements: { ...offer.requirements, pools: offer.requirements.pools.slice(0, 1) },
    })),
  },
  {
    name: 'a freed slot of a pool wakes no parked request',
    plant: handle('lease', 'capacity.freed', () => undefined),
  },
  {
    name: 'the change of a pool does not reach the farm',
    plant: handle('lease', 'pools.changed', (state, message, context, original) => {
      if ((state as LeaseState).pools.stateOf('seats').maxConcurrent === null)
        original(state, message, context);
    }),
  },
  {
    name: 'the dependents of a deleted job are not canceled',
    plant: handle('farm', 'job.deleted', (state, message, context, original) => {
      original(state, message, dropping(context, 'upstream.failed'));
    }),
  },
  {
    name: 'a reclaimed attempt gets no row',
    plant: handle('job', 'attempts.reclaim', (state, message, context, original) => {
      original(state, message, withoutAttempts(context));
    }),
  },
  {
    name: 'a purge does not delete the attempts',
    plant: handle('purge', 'purge.next', (state, message, context, original) => {
      original(state, message, withoutAttempts(context));
    }),
  },
  {
    name: 'retention deletes failed jobs that must be kept',
    plant: handle('retention', 'retention.due', (state, message, context, original) => {
      original(state, message, context);
      const { farmId } = state as { farmId: FarmId };
      context.send('sweep', keys.endedJobsOf(farmId, 'failed'), { type: 'sweep.next' });
    }),
  },
  {
    name: 'retention deletes a job on which another job depends',
    plant: handle('farm', 'job.expire', (_state, { jobId, endedAt }, context) => {
      context.send('job', jobId, { type: 'job.expire', endedAt });
    }),
  },
  {
    name: 'the expression limits of a worker are ignored',
    plant: handle('lease', 'worker.offered', (state, message, context, original) => {
      const record = { ...message.record, exprMemoryBytes: EXPR_MEMORY_BYTES };
      original(state, { ...message, record }, context);
    }),
  },
  {
    name: 'jobs without expressions also avoid workers with tighter limits',
    plant: offering((offer) => ({
      ...offer,
      requirements: { ...offer.requirements, usesExpressions: true },
    })),
  },
  {
    name: 'a worker keeps its first expression limits',
    plant: handle('lease', 'worker.offered', (state, message, context, original) => {
      const known = (state as LeaseState).workers.get(message.record.id)?.offer;
      const exprMemoryBytes = known?.exprShortfall?.granted ?? EXPR_MEMORY_BYTES;
      const record = known === undefined ? message.record : { ...message.record, exprMemoryBytes };
      original(state, { ...message, record }, context);
    }),
  },
  {
    name: 'a task stays unschedulable',
    plant: handle('job', 'step.schedulable', () => undefined),
  },
  {
    name: 'a task is unschedulable at once',
    plant: handle('job', 'step.unschedulable', (state, message, context, original) => {
      original(state, { ...message, readyBefore: context.now }, context);
    }),
  },
  {
    name: 'a reservation is ignored',
    plant: handle('lease', 'lease.requested', (state, message, context, original) => {
      const { reservations } = state as LeaseState;
      const kept = reservations.list();
      for (const [workerId] of kept) reservations.delete(workerId);
      original(state, message, context);
      for (const [workerId, step] of kept) reservations.set(workerId, step);
    }),
  },
  {
    name: 'the end of a reservation is not stored',
    plant: withDefinitions((definition) => {
      if (definition.kind !== 'lease') return definition;
      return {
        ...definition,
        save: (state, context) => {
          const change = (each: Parameters<AnyContext['change']>[0]): void => {
            if (each.op !== 'remove' || each.table !== 'waitingStep') context.change(each);
          };
          definition.save?.(state, contextWith(context, { change }));
        },
      };
    }),
  },
  {
    name: 'a worker is reserved before a step has waited long enough',
    plant: handle('lease', 'sweep.due', (state, message, context, original) => {
      const { index } = state as LeaseState;
      for (const step of index.allSteps()) {
        if (step.ready.size > 0) Object.defineProperty(step.ready, 'since', { value: 0, configurable: true });
      }
      original(state, message, context);
    }),
  },
  {
    name: 'a retry goes to the worker that failed the task',
    plant: (build) => {
      const ready = handle('lease', 'tasks.ready', (state, message, context, original) => {
        original(state, { ...message, avoided: [] }, context);
      });
      return offering((offer) => ({
        ...offer,
        failed: [],
        held: offer.held.map((task) => ({ ...task, avoided: [] })),
      }))(ready(build));
    },
  },
  {
    name: 'the priority of a job is ignored',
    plant: offering((offer) => ({ ...offer, priority: 50 })),
  },
  {
    name: 'a job that moves is counted in its old queue',
    plant: offering((offer, { index }) => ({
      ...offer,
      queueId: index.entry(offer.jobId, offer.stepOrder)?.queueId ?? offer.queueId,
    })),
  },
  {
    name: 'a deleted worker leaves its failures behind',
    plant: handle('worker', 'worker.delete', (state, message, context, original) => {
      const change: AnyContext['change'] = (made) => {
        if (made.table !== 'workerFailures') context.change(made);
      };
      original(state, message, contextWith(context, { change }));
    }),
  },
  {
    name: 'a worker is deleted in any state',
    plant: handle('worker', 'worker.delete', (state, message, context, original) => {
      const worker = state as { record: object };
      const { record } = worker;
      worker.record = { ...record, status: 'offline' };
      original(state, message, context);
      worker.record = record;
    }),
  },
];
