import { isDeepStrictEqual } from 'node:util';
import type { JobState } from '../../actors/service/job/state.ts';
import type { FarmState } from '../../actors/service/farm/state.ts';
import type { JobId } from '../../src/core/ids.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import { keys } from '../../src/core/records/tables.ts';
import {
  type Invariant,
  countTasks,
  ofTouchedJobs,
  ofFarms,
  isTerminalStatus,
  isTerminal,
} from './invariant-frame.ts';

/** docs/contract/resources.md#job: a job with live tasks is running or paused, and a parked job has a park_reason. */
export const jobStatusFits: Invariant = {
  name: 'a job with live tasks is running or paused, and only a parked job has a park_reason',
  check: ofTouchedJobs((job) => {
    const { id, status, parkReason } = job.record;
    if (job.openAttempts.size > 0 && status !== 'running' && status !== 'paused')
      return `${id} is ${status} and has ${job.openAttempts.size} live tasks`;
    if (parkReason !== '' && status !== 'paused' && status !== 'failed')
      return `${id} is ${status}: ${parkReason}`;
    return null;
  }),
};

/** Facts about jobs that a farm needs to delete queues and to end dependents. */
export const farmKnowsJobs: Invariant = {
  name: 'the farm knows the queue of each job, and which jobs wait for which',
  check: ofFarms(({ farm, jobs }, { store }) => {
    const active = new Set(jobs.map(({ record }) => record.id));
    for (const { record } of jobs) {
      const known = farm.activeJobs.get(record.id);
      if (isTerminalStatus(record.status)) return `${record.id} is ${record.status} and listed as active`;
      if (known?.queueId !== record.queueId)
        return `${record.id} is in the queue ${record.queueId}, the farm actor has it in ${known?.queueId ?? 'none'}`;
      if (!farm.queues.has(record.queueId)) return `${record.id} is in the deleted queue ${record.queueId}`;
      const waits = record.status === 'blocked' || record.waitsWhilePaused === true;
      const expected = waits
        ? record.dependsOn.filter((id) => active.has(id) || isEndedUpstream(record, id, farm, store))
        : [];
      const waitsFor = [...known.waitsFor];
      if (expected.length === waitsFor.length && expected.every((id) => waitsFor.includes(id))) continue;
      return `${record.id} waits for ${expected.join(', ')}, the farm actor has it waiting for ${waitsFor.join(', ')}`;
    }
    return null;
  }),
};

/** The settings cascade server, farm, queue: each active job has the current settings. */
export const jobsKnowTheirSettings: Invariant = {
  name: 'a job inherits the retry settings of server, farm and queue',
  check: ofFarms(({ farm, jobs }, { serverRetry }) => {
    for (const job of jobs) {
      const levels = [farm.queues.get(job.record.queueId)?.retry, farm.record.retry, serverRetry];
      for (const name of ['maxAttempts', 'retryDelaySeconds', 'failureLimit'] as const) {
        const expected = levels.find((level) => level?.[name] !== undefined)?.[name];
        if (job.inherited[name] !== expected)
          return `${job.record.id} inherits the ${name} ${job.inherited[name]}, not ${expected ?? 0}`;
      }
      const queue = farm.queues.get(job.record.queueId);
      const rules = [
        ...(queue?.retryRules === undefined
          ? []
          : [{ level: 'queue', of: queue.name, rules: queue.retryRules }]),
        ...farm.poolRules,
      ];
      if (!isDeepStrictEqual(job.inherited.ruleSets ?? [], rules))
        return `${job.record.id} inherits the retry rules ${JSON.stringify(job.inherited.ruleSets)}`;
    }
    return null;
  }),
};

/** I11: a terminal job has only terminal tasks, and other jobs have unfinished tasks. */
export const jobsEndWithTheirTasks: Invariant = {
  name: 'a job is terminal exactly when all its tasks are',
  check: ofTouchedJobs((job) => {
    let left = 0;
    let unsuccessful = 0;
    for (const step of job.steps) {
      const counted = countTasks(step);
      left += step.record.taskCount - counted.succeeded - counted.failed - counted.canceled;
      unsuccessful += counted.failed + counted.canceled;
    }
    const { id, status } = job.record;
    if (isTerminal(job) && left > 0) return `${id} is ${status} and has ${left} tasks that are not terminal`;
    if (!isTerminal(job) && left === 0) return `${id} is ${status} and all its tasks are terminal`;
    if (status === 'completed' && unsuccessful > 0)
      return `${id} completed and ${unsuccessful} tasks did not succeed`;
    return null;
  }),
};

/** An upstream job that had failed or was canceled when the job was retried, and is not completed. */
function isEndedUpstream(record: JobRecord, id: JobId, farm: FarmState, store: StoreReader): boolean {
  if (record.endedUpstreams?.includes(id) !== true) return false;
  return (farm.recentlyEnded.get(id) ?? store.get('job', keys.job(id))?.status) !== 'completed';
}

const wasSkipped = (jobs: readonly JobState[], id: JobId, store: StoreReader): boolean =>
  jobs.some((job) => job.record.id === id && job.steps.some((step) => step.record.hasSkipped)) ||
  [...store.scan('step', { prefix: keys.stepsOf(id) })].some(({ value }) => value.hasSkipped === true);

/** I11: a new or retried job does not run before its upstream jobs have completed. */
export const jobsWaitForTheirUpstreams: Invariant = {
  name: 'an active job whose upstream jobs are not all completed is blocked',
  check: ofFarms(({ farm, jobs }, { store }) => {
    for (const { record } of jobs) {
      if (record.status === 'blocked' || (record.status === 'paused' && record.waitsWhilePaused === true))
        continue;
      for (const id of record.dependsOn) {
        const isActive = jobs.some((job) => job.record.id === id);
        const status = farm.recentlyEnded.get(id) ?? store.get('job', keys.job(id))?.status;
        // A retry that undoes a skip makes a completed job active again. Jobs that have started continue.
        const isLost = isActive || status === 'failed' || status === 'canceled';
        if (isLost && !wasSkipped(jobs, id, store))
          return `${record.id} is ${record.status} and its upstream job ${id} is ${isActive ? 'active' : (status ?? '')}`;
      }
    }
    return null;
  }),
};

/** I11: a job is blocked only while an upstream job is not completed. One that had ended before a retry may be retried. */
export const blockedJobsWaitForSomething: Invariant = {
  name: 'a job is blocked only while an upstream job is active or may be retried',
  check: ofFarms(({ farm, jobs }, view) => {
    const active = new Set(jobs.map((job) => job.record.id));
    for (const job of jobs) {
      const { status, waitsWhilePaused } = job.record;
      if (status !== 'blocked' && !(status === 'paused' && waitsWhilePaused === true)) continue;
      const isWaiting = (id: JobId): boolean =>
        active.has(id) || isEndedUpstream(job.record, id, farm, view.store);
      if (job.record.dependsOn.some(isWaiting)) continue;
      const upstreams = job.record.dependsOn.map((id) => view.store.get('job', id)?.status ?? 'unknown');
      return `${job.record.id} is ${status} and its upstream jobs are ${upstreams.join(', ')}`;
    }
    return null;
  }),
};

/** I11: jobs that depend on a deleted job are canceled with it. */
export const blockedJobsHaveTheirUpstreams: Invariant = {
  name: 'no job is blocked on a deleted job',
  check: ofFarms(({ farm, jobs }, view) => {
    for (const { record } of jobs) {
      if (record.status !== 'blocked') continue;
      const lost = record.dependsOn.find(
        (id) => !farm.activeJobs.has(id) && view.store.get('job', keys.job(id)) === undefined,
      );
      if (lost !== undefined) return `${record.id} is blocked on the missing job ${lost}`;
    }
    return null;
  }),
};
