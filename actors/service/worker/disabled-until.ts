import type { ServiceContext } from '../service-system.ts';
import { enableWorker, type EnableSettings } from './on-enable.ts';
import type { WorkerState } from './state.ts';

type WorkerContext = ServiceContext<'worker'>;

/** The time of day may be set while a worker is disabled: it is read again after at most this time. */
const CHECK_MS = 60_000;

/** Returns when the service enables the worker; null if only a user does. */
const endOf = ({ record: { status, disabling } }: WorkerState): number | null =>
  status === 'disabled' ? (disabling?.until ?? null) : null;

/** Sets the timer for the time until which the worker is disabled, if there is one. Replaces an earlier one. */
export function watchDisabled(state: WorkerState, context: WorkerContext): void {
  const end = endOf(state);
  if (end === null) return;
  const delayMs = Math.min(Math.max(0, end - context.now), CHECK_MS);
  context.after('disabled-until', delayMs, { type: 'disabled-until.due' });
}

/** Enables the worker if its time has come, and otherwise sets the timer again. */
export const onDisabledUntilDue =
  (settings: EnableSettings) =>
  (state: WorkerState, _message: unknown, context: WorkerContext): void => {
    const end = endOf(state);
    if (end === null) return;
    if (end > context.now) {
      watchDisabled(state, context);
      return;
    }
    const { id, name } = state.record;
    context.log('info', 'enabled a worker at the time until which it was disabled', {
      worker_id: id,
      worker: name,
    });
    enableWorker(state, settings, context);
  };
