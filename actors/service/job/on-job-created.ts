import { effectiveRetry } from '../../../src/core/lifecycle/retry-policy.ts';
import { chunksOfPlan } from '../../../src/core/lifecycle/chunk-sizes.ts';
import { countsOf, sumCounts } from '../../../src/core/lifecycle/task-counts.ts';
import { put, remove } from '../../../src/core/records/change-set.ts';
import { templateRecord, type JobRecord } from '../../../src/core/records/job.ts';
import type { StepRecord } from '../../../src/core/records/step.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { done } from '../../../src/core/problems.ts';
import type { StepPlan } from '../../../src/openjd/template/plan.ts';
import type { ServiceContext } from '../service-system.ts';
import { AssignedRuns } from './assigned-runs.ts';
import { JobTurn } from './job-turn.ts';
import type { JobMessage } from './messages.ts';
import { armStart } from './on-start-due.ts';
import { OpenAttempts } from './open-attempts.ts';
import { waitsForUpstreams, type JobState } from './state.ts';
import { stepStateOf } from './step-state.ts';

type Create = Extract<JobMessage, { type: 'job.create' }>;

/** Returns the state of a new job: all tasks pending. */
export function newJobState(message: Create): JobState {
  const { record, plan } = message;
  const steps = plan.steps.map((step) => stepStateOf(newStepRecord(record, step), step));
  return {
    record: { ...record, taskCounts: sumCounts(steps.map((step) => step.record.taskCounts)) },
    plan,
    steps,
    inherited: message.inherited,
    openAttempts: new OpenAttempts(record.id, steps),
    failures: new Map(),
    failedOn: new Map(),
    ruleUses: new Map(),
    assigned: new AssignedRuns(),
    isAssignedTimed: false,
    dirtySteps: new Set(),
    isRecordStale: false,
    isDeleted: false,
  };
}

function newStepRecord(job: JobRecord, plan: StepPlan): StepRecord {
  const chunks = chunksOfPlan(plan);
  return {
    version: 1,
    jobId: job.id,
    order: plan.order,
    name: plan.name,
    status: 'pending',
    computeLocation: plan.requirements.computeLocation,
    dependsOn: plan.dependsOn,
    taskCount: plan.taskCount,
    taskCounts: countsOf(plan.taskCount, 'pending'),
    untouched: { status: 'pending', updatedAt: job.createdAt, failureReason: '' },
    ...(chunks !== null && { chunks }),
    createdAt: job.createdAt,
    updatedAt: job.createdAt,
  };
}

/** Writes a new job: its record, plan, template, steps and idempotency key, in one commit. */
export function onJobCreated(state: JobState, message: Create, context: ServiceContext<'job'>): void {
  const { record } = state;
  const { template, templateFormat: format } = message;
  if ('provisionalJobId' in template) context.change(remove('comingJob', keys.comingJob(record.id)));
  else {
    const { text, environments } = template;
    context.change(put('plan', keys.plan(record.id), message.plan));
    const row = templateRecord({ format, text }, environments);
    context.change(put('template', keys.template(record.id), row));
  }
  context.change(put('activeJob', keys.activeJob(record.farmId, record.id), { version: 1 }));
  const turn = new JobTurn(state, context, true);
  for (const step of state.steps) turn.touch(step);
  if (!waitsForUpstreams(state)) turn.promoteFreeSteps();
  turn.end();
  armStart(state, context);
  if (message.once !== undefined) {
    const { rowKey, fingerprint, expiresAt } = message.once;
    const inherited = effectiveRetry(message.inherited);
    context.change(
      put('idempotencyKey', rowKey, { version: 1, fingerprint, expiresAt, job: state.record, inherited }),
    );
  }
  context.reply(message.replyTo, done(state.record));
}
