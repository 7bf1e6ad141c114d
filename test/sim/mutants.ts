import type { AnyDefinition, Kind } from '../../actors/kernel/actor.ts';
import type { ReplyTo } from '../../actors/kernel/address.ts';
import type { JobState } from '../../actors/service/job/state.ts';
import type { ServiceSystem } from '../../actors/service/service-system.ts';
import type { LeaseState } from '../../actors/service/lease/state.ts';
import type { WorkerState } from '../../actors/service/worker/state.ts';
import { parseAttemptId, attemptIdOf } from '../../src/core/ids.ts';
import { copyOfCounts, moveCounts } from '../../src/core/lifecycle/task-counts.ts';
import { put } from '../../src/core/records/change-set.ts';
import { keys } from '../../src/core/records/tables.ts';
import { pageOf, readTask, writeTask } from '../../src/core/records/task-page.ts';
import type { PresenceReply } from '../../src/core/wire/bus-messages.ts';
import { AGENT_MUTANTS } from './agent-mutants.ts';
import { AMOUNT_MUTANTS } from './amount-mutants.ts';
import { CAP_MUTANTS } from './cap-mutants.ts';
import { CHUNK_MUTANTS } from './chunk-mutants.ts';
import { GUARD_MUTANTS } from './guard-mutants.ts';
import { PREEMPTION_MUTANTS } from './preemption-mutants.ts';
import { RETRY_RULE_MUTANTS } from './retry-rule-mutants.ts';
import { IDENTITY_MUTANTS } from './identity-mutants.ts';
import { SHARE_MUTANTS } from './share-mutants.ts';
import { OUTAGE_MUTANTS } from './outage-mutants.ts';
import { RULE_MUTANTS } from './rule-mutants.ts';
import { staleCompletion } from './scenarios.ts';
import { handle, droppingMessages, withDefinitions, type Mutant } from './mutant.ts';
import { contextWith, type AnyContext, type AnyHandler } from './watch-turns.ts';

/** Every handler of an actor gets the wrong `receivingSince`. */
const clearReceivingSince =
  (kind: Kind<ServiceSystem>) =>
  (definition: AnyDefinition<ServiceSystem>): AnyDefinition<ServiceSystem> => {
    if (definition.kind !== kind) return definition;
    const handlers: Record<string, AnyHandler> = {};
    for (const [type, original] of Object.entries(definition.handlers)) {
      handlers[type] = (state, message, context) => {
        original(state, message, contextWith(context, { receivingSince: 0 }));
      };
    }
    const { onActivated } = definition;
    return {
      ...definition,
      handlers,
      ...(onActivated === undefined
        ? {}
        : {
            onActivated: (state, context) => {
              onActivated(state, contextWith(context, { receivingSince: 0 }));
            },
          }),
    };
  };

/** The current attempt number of a task. */
function attemptNumberOf(job: JobState, stepOrder: number, index: number): number {
  const page = job.steps[stepOrder]?.pages.get(pageOf(index));
  return (page === undefined ? null : readTask(page, index))?.attemptNumber ?? 0;
}

/** Mutants of the service: its actors, store and bus. */
export const SERVICE_MUTANTS: readonly Mutant[] = [
  {
    name: 'replies are sent before the commit is durable',
    plant: (build) => ({
      ...build,
      service: {
        ...build.service,
        commit: (commit) => (changes, onCommit) => {
          commit(changes, { onDurable: () => undefined, onReadable: () => onCommit.onReadable() });
          onCommit.onDurable();
        },
      },
    }),
  },
  {
    name: 'clients are answered before the change is readable',
    plant: (build) => ({ ...build, service: { ...build.service, answersUnread: true } }),
  },
  {
    name: 'an evictable actor is evicted before its last change is readable',
    plant: (build) => ({ ...build, service: { ...build.service, dropsUnread: true } }),
  },
  {
    name: 'piggybacked ends are confirmed before they are durable',
    plant: (build) => ({ ...build, service: { ...build.service, confirmsAtOnce: true } }),
  },
  {
    name: 'a piggybacked report is confirmed but not processed',
    plant: handle('job', 'tasks.reported', (state, message, context, original) => {
      if (message.replyTo === undefined) original(state, message, context);
    }),
  },
  {
    name: 'a commit loses its last change',
    plant: (build) => ({
      ...build,
      service: {
        ...build.service,
        commit: (commit) => (changes, onDurable) => {
          commit(changes.length > 3 ? changes.slice(0, -1) : changes, onDurable);
        },
      },
    }),
  },
  {
    name: 'a report of a stale attempt is accepted',
    plant: handle('job', 'tasks.reported', (state, message, context, original) => {
      const job = state as JobState;
      const reports = message.reports.map((report) => {
        const stale = parseAttemptId(report.attempt_id);
        if (stale === null) return report;
        const attemptNumber = attemptNumberOf(job, stale.stepOrder, stale.index);
        return attemptNumber === 0
          ? report
          : { ...report, attempt_id: attemptIdOf({ ...stale, attemptNumber }) };
      });
      original(job, { ...message, reports }, context);
    }),
  },
  {
    name: 'the retry delay of farm and queue is not inherited',
    plant: handle('job', 'job.create', (state, message, context, original) => {
      const job = state as JobState;
      job.inherited = { ...job.inherited, retryDelaySeconds: 0 };
      original(job, message, context);
    }),
  },
  {
    name: 'a task is retried once too often',
    plant: handle('job', 'tasks.reported', (state, message, context, original) => {
      const job = state as JobState;
      const { inherited } = job;
      job.inherited = { ...inherited, maxAttempts: inherited.maxAttempts + 1 };
      original(job, message, context);
      job.inherited = inherited;
    }),
  },
  {
    name: 'a reclaim counts as a failure',
    plant: handle('job', 'attempts.reclaim', (state, message, context, original) => {
      const job = state as JobState;
      const before = job.openAttempts.size;
      original(job, message, context);
      const failedAttempts = job.record.failedAttempts + before - job.openAttempts.size;
      job.record = { ...job.record, failedAttempts };
      context.change(put('job', keys.job(job.record.id), job.record));
    }),
  },
  {
    name: 'the cores of a closed attempt stay booked',
    plant: handle('worker', 'attempts.released', () => undefined),
  },
  {
    name: 'the lease actor is not notified of free cores',
    plant: handle('lease', 'cores.freed', () => undefined),
  },
  {
    name: 'the heartbeat exchange closes nothing',
    plant: handle('worker', 'worker.heartbeat', (state, message, context, original) => {
      const reply: AnyContext['reply'] = (to, answer) => {
        const heard = answer as PresenceReply;
        context.reply(to as ReplyTo<unknown>, heard.type === 'alive' ? { ...heard, closed: [] } : heard);
      };
      original(state, message, contextWith(context, { reply }));
    }),
  },
  {
    name: 'a worker expires although the service was partitioned',
    plant: withDefinitions(clearReceivingSince('worker')),
  },
  {
    name: 'a late success overrides a cancel',
    plant: handle('job', 'tasks.reported', (state, message, context, original) => {
      const job = state as JobState;
      original(job, message, context);
      for (const report of message.reports) {
        const attempt = parseAttemptId(report.attempt_id);
        const step = attempt === null ? undefined : job.steps[attempt.stepOrder];
        const page = attempt === null ? undefined : step?.pages.get(pageOf(attempt.index));
        if (attempt === null || step === undefined || page === undefined) continue;
        const task = readTask(page, attempt.index);
        if (report.status !== 'succeeded' || task?.status !== 'canceled') continue;
        writeTask(page, attempt.index, { ...task, status: 'succeeded' });
        const taskCounts = copyOfCounts(job.record.taskCounts);
        moveCounts(taskCounts, 'canceled', 'succeeded');
        job.record = { ...job.record, taskCounts };
        moveCounts(step.record.taskCounts, 'canceled', 'succeeded');
      }
    }),
  },
  {
    name: 'a canceled task is not counted',
    plant: handle('job', 'task.cancel', (state, message, context, original) => {
      const job = state as JobState;
      const step = job.steps[message.stepOrder];
      const before = step === undefined ? undefined : copyOfCounts(step.record.taskCounts);
      original(job, message, context);
      if (step !== undefined && before !== undefined) step.record.taskCounts = before;
    }),
  },
  {
    name: 'a paused queue is not propagated',
    plant: handle('lease', 'queue.limits-changed', (state, message, context, original) => {
      original(state, { ...message, paused: false }, context);
    }),
  },
  {
    name: 'the cap of the farm is lost at recovery',
    plant: withDefinitions((definition) => {
      if (definition.kind !== 'lease') return definition;
      return {
        ...definition,
        load: (id, reader, now) => {
          const state = definition.load(id, reader, now) as LeaseState | null;
          state?.index.caps.limitFarm(0);
          return state;
        },
      };
    }),
  },
  {
    name: 'tasks that are ready again wake no parked request',
    plant: handle('lease', 'tasks.ready', (state, message, context, original) => {
      if (message.until !== null && message.until > context.now) original(state, message, context);
      else
        (state as LeaseState).index.addReady(message.jobId, message.stepOrder, message.ranges, context.now);
    }),
  },
  {
    name: 'an ended task frees no capacity under the caps',
    plant: handle('lease', 'tasks.ended', (state, message) => {
      (state as LeaseState).index.settle(message.jobId, message.stepOrder, message.count);
    }),
  },
  {
    name: 'the failure of an upstream job is ignored',
    plant: handle('farm', 'job.ended', (state, message, context, original) => {
      original(state, message, contextWith(context, { send: droppingMessages(context, 'upstream.failed') }));
    }),
  },
  {
    name: 'a step does not wait for the steps before it',
    plant: handle('job', 'job.create', (state, message, context, original) => {
      for (const step of (state as JobState).steps) step.record.dependsOn = [];
      original(state, message, context);
    }),
  },
  {
    name: 'attempts that a worker reports are returned as never started',
    plant: (build) =>
      handle('worker', 'bus.confirmed', (state, message, context, original) => {
        (state as WorkerState).held.clear();
        original(state, message, context);
      })(handle('job', 'attempts.held', () => undefined)(build)),
    scenario: staleCompletion,
  },
  {
    name: 'one heartbeat without an attempt reclaims it',
    plant: handle('worker', 'worker.heartbeat', (state, message, context, original) => {
      const worker = state as WorkerState;
      for (const attemptId of worker.bookings.ids()) worker.missedSince.set(attemptId, 0);
      original(worker, message, context);
    }),
  },
];

export const MUTANTS: readonly Mutant[] = [
  ...SERVICE_MUTANTS,
  ...AGENT_MUTANTS,
  ...RULE_MUTANTS,
  ...CHUNK_MUTANTS,
  ...RETRY_RULE_MUTANTS,
  ...PREEMPTION_MUTANTS,
  ...AMOUNT_MUTANTS,
  ...SHARE_MUTANTS,
  ...CAP_MUTANTS,
  ...GUARD_MUTANTS,
  ...OUTAGE_MUTANTS,
  ...IDENTITY_MUTANTS,
];
