import type { AgentSettings } from '../agent-settings.ts';
import type { AgentContext } from '../agent-system.ts';
import { announceHeartbeat, reregister } from './announce.ts';
import { isStopping, settleToLeave } from './leave.ts';
import type { RegistrarMessage } from './messages.ts';
import { fenceWhenStopped } from './on-contact-lost.ts';
import { removeRunning, type RegistrarState } from './state.ts';

type RegistrarContext = AgentContext<'registrar'>;

/** Adds new attempts. Those that await confirmation are reported in a heartbeat at once. */
export function onAttemptsTaken(
  state: RegistrarState,
  { attemptIds, awaitingConfirmation }: Extract<RegistrarMessage, { type: 'attempts.taken' }>,
  context: RegistrarContext,
): void {
  for (const attemptId of attemptIds) {
    state.running.add(attemptId);
    if (awaitingConfirmation) state.awaitingConfirmation.add(attemptId);
  }
  if (awaitingConfirmation && state.registration !== null)
    announceHeartbeat(state, state.registration, context);
}

/**
 * Handles the end of an attempt. An interrupted attempt is given back by a new incarnation, unless one follows anyway.
 * Its cores become free only afterwards, so that no request is sent under the old incarnation.
 */
export const onAttemptOver =
  (settings: AgentSettings) =>
  (
    state: RegistrarState,
    { attemptId, outcome }: Extract<RegistrarMessage, { type: 'attempt.over' }>,
    context: RegistrarContext,
  ): void => {
    if (removeRunning(state, attemptId)) {
      if (outcome === 'reported') state.reported.add(attemptId);
      if (state.phase === 'fencing') fenceWhenStopped(state, settings, context);
      else if (isStopping(state)) settleToLeave(state, context);
      else if (outcome === 'interrupted') reregister(state, settings, 'interrupted', context);
    }
    context.send('poller', 'poller', { type: 'cores.freed', attemptId });
  };
