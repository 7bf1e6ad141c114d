import type { AttemptId } from '../../../src/core/ids.ts';
import { nextWorkerStatus } from '../../../src/core/lifecycle/worker-transitions.ts';
import { done } from '../../../src/core/problems.ts';
import { SETTINGS } from '../../../src/core/records/settings-version.ts';
import type { WorkerDisabling } from '../../../src/core/records/worker.ts';
import { refusesOutdated } from '../refuse-outdated.ts';
import type { ServiceContext } from '../service-system.ts';
import { watchDisabled } from './disabled-until.ts';
import type { WorkerMessage, WorkerStanding } from './messages.ts';
import type { WorkerState } from './state.ts';
import { byJob, changeWorker, publishWorker } from './worker-turn.ts';

/**
 * Disables a worker (docs/contract/workers.md#disable-and-enable). It finishes its current tasks, or they are stopped at
 * once to run elsewhere (docs/scheduling.md#disabled-workers). Its lease requests get no tasks until it is enabled. For
 * a disabled worker, a request to stop its tasks, with a reason or with a time replaces the earlier one; another changes
 * nothing.
 */
export function onWorkerDisable(
  state: WorkerState,
  message: Extract<WorkerMessage, { type: 'worker.disable' }>,
  context: ServiceContext<'worker'>,
): void {
  const { disabling, replyTo } = message;
  const before = state.record;
  if (refusesOutdated('worker', SETTINGS.worker(before), message, context)) return;
  const status = nextWorkerStatus(before.status, 'disable');
  if (status !== before.status || isOwnRequest(disabling)) {
    const isAnnounced = changeWorker(
      state,
      { status, disabling: { ...disabling, at: context.now } },
      context,
    );
    if (!isAnnounced) publishWorker(state.record, status, context);
    stopTasks(state, state.bookings.ids(), context);
    watchDisabled(state, context);
  }
  const standing: WorkerStanding = { status, disabling: state.record.disabling ?? null };
  context.reply(replyTo, done(standing));
}

/** Reports whether a request says more than that the worker is to be disabled. */
const isOwnRequest = ({ stopsTasks, reason, until }: Omit<WorkerDisabling, 'at'>): boolean =>
  stopsTasks || reason !== '' || until !== undefined;

/** Requests the jobs to stop attempts, if the worker was disabled at once. */
export function stopTasks(
  { record: { status, disabling } }: WorkerState,
  attempts: readonly AttemptId[],
  context: ServiceContext<'worker'>,
): void {
  if (status !== 'disabled' || disabling?.stopsTasks !== true) return;
  for (const [job, attemptIds] of byJob(attempts))
    context.send('job', job, { type: 'attempts.stop', attemptIds });
}
