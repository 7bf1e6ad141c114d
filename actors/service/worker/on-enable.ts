import { nextWorkerStatus } from '../../../src/core/lifecycle/worker-transitions.ts';
import { done } from '../../../src/core/problems.ts';
import { SETTINGS } from '../../../src/core/records/settings-version.ts';
import { refusesOutdated } from '../refuse-outdated.ts';
import type { ServiceContext, ServiceSettings } from '../service-system.ts';
import { watchLiveness, hadRecentContact } from './liveness.ts';
import type { WorkerMessage, WorkerStanding } from './messages.ts';
import type { PromiseSettings } from './promise.ts';
import type { WorkerState } from './state.ts';
import { watchUnused } from './unused.ts';
import { changeWorker, reportLocation } from './worker-turn.ts';

export type EnableSettings = PromiseSettings & Pick<ServiceSettings, 'workers'>;

/** Enables a worker (docs/contract/workers.md#disable-and-enable) at the request of a user. */
export const onWorkerEnable =
  (settings: EnableSettings) =>
  (
    state: WorkerState,
    message: Extract<WorkerMessage, { type: 'worker.enable' }>,
    context: ServiceContext<'worker'>,
  ): void => {
    if (refusesOutdated('worker', SETTINGS.worker(state.record), message, context)) return;
    enableWorker(state, settings, context);
    const { status, disabling = null } = state.record;
    const standing: WorkerStanding = { status, disabling };
    context.reply(message.replyTo, done(standing));
  };

/** Enables a worker: online if it is alive, else offline. Changes nothing if it is not disabled. */
export function enableWorker(
  state: WorkerState,
  settings: EnableSettings,
  context: ServiceContext<'worker'>,
): void {
  const trigger = isAlive(state, settings.heartbeatTimeoutMs, context)
    ? 'enable while alive'
    : 'enable while silent';
  const status = nextWorkerStatus(state.record.status, trigger);
  if (status === state.record.status) return;
  changeWorker(state, { status, disabling: null }, context);
  if (status === 'online') reportLocation(state, context);
  watchLiveness(state, settings, context);
  watchUnused(state, settings.workers, context);
}

/**
 * A worker with tasks counts as alive, even without a recent heartbeat: it has not expired yet and is still monitored.
 */
function isAlive(state: WorkerState, timeoutMs: number, context: ServiceContext<'worker'>): boolean {
  if (state.bookings.size > 0) return true;
  return state.record.departed !== true && hadRecentContact(state, timeoutMs, context);
}
