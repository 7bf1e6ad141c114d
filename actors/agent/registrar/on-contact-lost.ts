import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentSettings } from '../agent-settings.ts';
import type { AgentContext } from '../agent-world.ts';
import { registerAnew } from './announce.ts';
import { dropDoubted, type RegistrarState } from './state.ts';

type RegistrarContext = AgentContext<'registrar'>;

/**
 * The service may give the tasks of this worker away before long (design.md, "The bus"): they are stopped first. Once nothing
 * runs the worker registers with a new incarnation, which gives them back.
 */
export const onContactLost =
  (settings: AgentSettings) =>
  (state: RegistrarState, _message: unknown, context: RegistrarContext): void => {
    if (state.phase !== 'registered' && state.phase !== 'registering') return;
    context.log('warn', 'no contact with the service: the tasks of this worker are stopped', {
      running: String(state.running.size),
    });
    context.send('poller', 'poller', { type: 'poller.unregistered' });
    dropDoubted(state);
    for (const attemptId of state.running) {
      context.send('session', attemptId, { type: 'session.interrupt', graceMs: AGENT_LIMITS.fenceGraceMs });
    }
    state.phase = 'fencing';
    context.cancelTimer('announce');
    fenceWhenStopped(state, settings, context);
  };

/** Registers again once the last session is over. */
export function fenceWhenStopped(
  state: RegistrarState,
  settings: AgentSettings,
  context: RegistrarContext,
): void {
  if (state.running.size === 0) registerAnew(state, settings, context);
}
