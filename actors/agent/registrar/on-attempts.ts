import type { AgentSettings } from '../agent-settings.ts';
import type { AgentContext } from '../agent-system.ts';
import { announceHeartbeat, reregister } from './announce.ts';
import { isStopping, settleToLeave } from './leave.ts';
import type { RegistrarMessage } from './messages.ts';
import { fenceWhenStopped } from './on-contact-lost.ts';
import type { RegistrarState } from './state.ts';

type RegistrarContext = AgentContext<'registrar'>;

/** Work has come. Doubted work is asked about at once. */
export function onAttemptsTaken(
  state: RegistrarState,
  { attemptIds, awaitingConfirmation }: Extract<RegistrarMessage, { type: 'attempts.taken' }>,
  context: RegistrarContext,
): void {
  for (const attemptId of attemptIds) {
    state.running.add(attemptId);
    if (awaitingConfirmation) state.awaitingConfirmation.add(attemptId);
  }
  if (awaitingConfirmation && state.standing !== null) announceHeartbeat(state, state.standing, context);
}

/**
 * An attempt has ended here. What was interrupted is given back, by a new incarnation unless one is under way anyhow. Its cores are free
 * only then: nothing is asked for in the name of the old one.
 */
export const onAttemptOver =
  (settings: AgentSettings) =>
  (
    state: RegistrarState,
    { attemptId, outcome }: Extract<RegistrarMessage, { type: 'attempt.over' }>,
    context: RegistrarContext,
  ): void => {
    state.awaitingConfirmation.delete(attemptId);
    if (state.running.delete(attemptId)) {
      if (outcome === 'reported') state.reported.add(attemptId);
      if (state.phase === 'fencing') fenceWhenStopped(state, settings, context);
      else if (isStopping(state)) settleToLeave(state, context);
      else if (outcome === 'interrupted') reregister(state, settings, context);
    }
    context.send('poller', 'poller', { type: 'cores.freed', attemptId });
  };
