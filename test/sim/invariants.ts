import { judgeMarks, surroundingsOf } from './unschedulable-rules.ts';
import { type Invariant, ofFarms } from './invariant-frame.ts';
import {
  memoryEqualsStore,
  jobsEndOrCannotRun,
  noBookingsRemain,
  noRowsOfDeletedJobsRemain,
  expiredJobsAreDeleted,
} from './ending-invariants.ts';
import {
  jobStatusFits,
  farmKnowsJobs,
  jobsKnowTheirSettings,
  jobsEndWithTheirTasks,
  blockedJobsWaitForSomething,
  jobsWaitForTheirUpstreams,
  blockedJobsHaveTheirUpstreams,
} from './job-invariants.ts';
import { leaseCountsShares, loadedSharesDecideAlike } from './share-invariants.ts';
import {
  bookedAmountsFit,
  bookingsAreOpenAttempts,
  endingTasksHoldResources,
  leaseKnowsWorkers,
  leaseKnowsReadyTasks,
  leaseCountsLive,
  noReadyTaskWaits,
} from './lease-invariants.ts';
import {
  poolsAreHeldByOpenAttempts,
  attemptsAreIndexed,
  failuresAreCounted,
  noRowsOfDeletedWorkersRemain,
  farmsKnowPools,
  holdsOfPoolsEnd,
} from './pool-and-worker-invariants.ts';
import {
  stepCountsAddUp,
  jobCountsAddUp,
  liveTasksHaveOneOpenAttempt,
  attemptsAreDense,
  successIsCreditedOnce,
  stepsWaitForTheirDependencies,
} from './task-invariants.ts';
import {
  guardsAreStored,
  heldPlacesStartOnlyProbes,
  outagesConsumeNothing,
  quarantinesAreInForce,
} from './guard-rules.ts';
import { waitingStepsAreStored } from './waiting-step-invariants.ts';
import { itemsAreInOneTask } from './chunk-invariants.ts';

/** I6: `unschedulable` is a subset of ready, set only while no worker can run the task, and set and cleared in time. */
const unschedulableIsTrue: Invariant = {
  name: 'a task is marked as unschedulable only while no online worker is eligible',
  check: ofFarms((farm, view) =>
    judgeMarks(
      surroundingsOf(farm, view.farms),
      view.now,
      view.unschedulableGraceMs,
      view.quietSince(farm.farm.record.id),
    ),
  ),
};

export const AFTER_EACH_STEP: readonly Invariant[] = [
  stepCountsAddUp,
  jobCountsAddUp,
  itemsAreInOneTask,
  liveTasksHaveOneOpenAttempt,
  attemptsAreDense,
  successIsCreditedOnce,
  stepsWaitForTheirDependencies,
  jobsEndWithTheirTasks,
  jobStatusFits,
  farmKnowsJobs,
  jobsKnowTheirSettings,
  jobsWaitForTheirUpstreams,
  blockedJobsWaitForSomething,
  blockedJobsHaveTheirUpstreams,
  bookingsAreOpenAttempts,
  bookedAmountsFit,
  endingTasksHoldResources,
  leaseKnowsWorkers,
  leaseKnowsReadyTasks,
  leaseCountsLive,
  leaseCountsShares,
  heldPlacesStartOnlyProbes,
  outagesConsumeNothing,
  quarantinesAreInForce,
];

/** Checks for when no message is pending and no timer is due. */
export const AT_REST: readonly Invariant[] = [noReadyTaskWaits, unschedulableIsTrue, holdsOfPoolsEnd];

/** Checks for when all commits are durable. */
export const WHEN_FLUSHED: readonly Invariant[] = [
  memoryEqualsStore,
  noRowsOfDeletedWorkersRemain,
  poolsAreHeldByOpenAttempts,
  loadedSharesDecideAlike,
  waitingStepsAreStored,
  guardsAreStored,
];

export const FINAL_INVARIANTS: readonly Invariant[] = [jobsEndOrCannotRun, noBookingsRemain];

/** Checks of the final state that are too slow to run often. */
export const FINAL_SLOW_INVARIANTS: readonly Invariant[] = [
  farmsKnowPools,
  attemptsAreIndexed,
  failuresAreCounted,
  noRowsOfDeletedJobsRemain,
  expiredJobsAreDeleted,
];
