import type { AgentSettings } from '../agent-settings.ts';
import type { AgentContext } from '../agent-system.ts';
import { reregister } from './announce.ts';
import { stopAll } from './leave.ts';
import { dropUnstarted, fenceGraceMs, type RegistrarPhase, type RegistrarState } from './state.ts';

type RegistrarContext = AgentContext<'registrar'>;

/** Phases in which tasks may run. */
const TASK_PHASES: ReadonlySet<RegistrarPhase> = new Set(['registered', 'registering', 'draining']);

/**
 * Stops all tasks before the service may reclaim them (docs/architecture.md#the-bus). Then registers with a new
 * incarnation, which gives them back.
 */
export const onContactLost =
  (settings: AgentSettings) =>
  (state: RegistrarState, _message: unknown, context: RegistrarContext): void => {
    if (!TASK_PHASES.has(state.phase)) return;
    const { registration } = state;
    context.log(
      'warn',
      'no contact with the service: the tasks of this worker are stopped before the service assigns them again; ' +
        'scheduler.reclaim_after of the service sets the time',
      {
        running: String(state.running.size),
        ...(registration === null ? {} : { reclaim_after_ms: String(registration.reclaimAfterMs) }),
      },
    );
    const graceMs = fenceGraceMs(state.registration);
    if (state.phase === 'draining') {
      stopAll(state, graceMs, context);
      return;
    }
    context.send('poller', 'poller', { type: 'poller.unregistered' });
    dropUnstarted(state);
    context.send('poller', 'poller', { type: 'attempts.interrupt', graceMs });
    state.phase = 'fencing';
    context.cancelTimer('announce');
    fenceWhenStopped(state, settings, context);
  };

/** Registers again once the last attempt has ended. */
export function fenceWhenStopped(
  state: RegistrarState,
  settings: AgentSettings,
  context: RegistrarContext,
): void {
  if (state.running.size === 0) reregister(state, settings, 'no-contact', context);
}
