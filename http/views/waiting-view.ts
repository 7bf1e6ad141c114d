import { pluralize } from '../../src/core/explain/wording.ts';
import { jobId, type FarmId, type QueueId } from '../../src/core/ids.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { keys } from '../../src/core/records/tables.ts';
import { timestampOf } from '../../src/core/timestamp.ts';
import type { Schemas } from './schemas.ts';
import type { WaitingCause, WaitingExplanation, WaitingGroup } from '../../src/core/lease/explanation.ts';

/** Paused jobs of a farm, and their ready tasks. */
export interface PausedJobs {
  readonly tasks: number;
  readonly jobs: number;
  readonly jobIds: readonly string[];
}

/**
 * Returns the waiting tasks of a farm: the reply of its scheduler, and the tasks of paused jobs, which the scheduler
 * does not know.
 */
export function waitingView(
  store: StoreReader,
  farm: FarmId,
  at: number,
  { groups, isPartial }: WaitingExplanation,
  paused: PausedJobs,
): Schemas['FarmWaiting'] {
  const views = groups.map((group) => groupView(store, farm, group));
  if (paused.tasks > 0) views.push(pausedView(store, paused));
  return {
    farm_id: farm,
    at: timestampOf(at),
    tasks: views.reduce((sum, { tasks }) => sum + tasks, 0),
    groups: views.sort((a, b) => b.tasks - a.tasks),
    is_partial: isPartial,
  };
}

function groupView(store: StoreReader, farm: FarmId, group: WaitingGroup): Schemas['WaitingGroup'] {
  return {
    reason: group.reason,
    sentence: sentenceOf(store, farm, group),
    tasks: group.tasks,
    jobs: group.jobs,
    job_ids: group.jobIds,
    job_names: namesOf(store, group.jobIds),
    ...('queueId' in group && group.queueId !== undefined && { queue_id: group.queueId }),
    ...('owner' in group && { owner: group.owner }),
    ...('project' in group && { project: group.project }),
    ...('pool' in group && { pool: group.pool }),
    ...('amount' in group && { amount: group.amount }),
    ...('unschedulableReason' in group && { unschedulable_reason: group.unschedulableReason }),
  };
}

function pausedView(store: StoreReader, { tasks, jobs, jobIds }: PausedJobs): Schemas['WaitingGroup'] {
  const sentence = jobs === 1 ? 'The job is paused.' : 'The jobs are paused.';
  const names = namesOf(store, jobIds);
  return { reason: 'paused_job', sentence, tasks, jobs, job_ids: jobIds, job_names: names };
}

/** A deleted job is named by its id. */
const namesOf = (store: StoreReader, ids: readonly string[]): readonly string[] =>
  ids.map((id) => store.get('job', keys.job(jobId(id)))?.name ?? id);

/** `Owner ana: at the cap of concurrent tasks in queue night.` */
function groupCapSentence(store: StoreReader, who: string, queueId: QueueId | undefined): string {
  const where =
    queueId === undefined ? 'the farm' : `queue ${store.get('queue', keys.queue(queueId))?.name ?? queueId}`;
  return `${who}: at the cap of concurrent tasks in ${where}.`;
}

function sentenceOf(store: StoreReader, farm: FarmId, cause: WaitingCause): string {
  switch (cause.reason) {
    case 'paused_queue':
      return `Queue ${store.get('queue', keys.queue(cause.queueId))?.name ?? cause.queueId} is paused.`;
    case 'usage_pool_missing':
      return `Usage pool ${cause.pool} is not registered and has no slots.`;
    case 'workers':
      return `No worker may run them: ${cause.unschedulableReason}.`;
    case 'retry_after':
      return 'They are held back for a while after a failure.';
    case 'farm_cap': {
      const cap = store.get('farm', keys.farm(farm))?.maxConcurrentTasks ?? 0;
      return `The farm is at its cap of ${pluralize(cap, 'concurrent task')}.`;
    }
    case 'queue_cap': {
      const queue = store.get('queue', keys.queue(cause.queueId));
      const cap = queue?.maxConcurrentTasks ?? 0;
      return `Queue ${queue?.name ?? cause.queueId} is at its cap of ${pluralize(cap, 'concurrent task')}.`;
    }
    case 'owner_cap': {
      const who = cause.owner === '' ? 'Jobs without an owner' : `Owner ${cause.owner}`;
      return groupCapSentence(store, who, cause.queueId);
    }
    case 'project_cap': {
      const who = cause.project === '' ? 'Jobs without a project' : `Project ${cause.project}`;
      return groupCapSentence(store, who, cause.queueId);
    }
    case 'job_cap':
      return 'Their jobs are at their caps of concurrent tasks.';
    case 'step_cap':
      return 'Their steps are at their caps of concurrent tasks.';
    case 'usage_pool':
      return `Usage pool ${cause.pool} is at capacity.`;
    case 'cores':
      return 'Workers may run them, and none has the cores free.';
    case 'amounts':
      return `Workers with free cores have too little ${cause.amount} free.`;
    case 'order':
      return 'It is their turn soon: workers have room for them.';
  }
}
