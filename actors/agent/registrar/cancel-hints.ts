import type { AttemptId } from '../../../src/core/ids.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext } from '../agent-system.ts';
import { announceHeartbeat } from './announce.ts';
import type { RegistrarMessage } from './messages.ts';
import { mayHeartbeat, type RegistrarState } from './state.ts';

/*
 * Anyone who can publish to the subject of a task's cancels can send a cancel message. So it is a hint only: the worker asks
 * the service with a heartbeat at once, and cancels the attempt when a reply on its own inbox lists it as closed. A lost
 * heartbeat changes nothing, because every later reply lists the attempt too.
 */

type RegistrarContext = AgentContext<'registrar'>;

/** Handles a cancel message. Ignores attempts that do not run here. */
export function onCancelHinted(
  state: RegistrarState,
  { attemptId, reason }: Extract<RegistrarMessage, { type: 'cancel.hinted' }>,
  context: RegistrarContext,
): void {
  if (!state.running.has(attemptId)) return;
  state.cancelHints.set(attemptId, { reason, hintedAfter: state.lastToken });
  confirmHints(state, context);
}

/** The next heartbeat because of a hint may be sent. */
export function onConfirmDue(state: RegistrarState, _message: unknown, context: RegistrarContext): void {
  if (state.cancelHints.size > 0) confirmHints(state, context);
}

/**
 * Asks the service about the hints. One heartbeat asks about all attempts, so that a flood of hints causes few. Without a
 * registration, the reply to the next one settles the hints.
 */
function confirmHints(state: RegistrarState, context: RegistrarContext): void {
  const { registration } = state;
  if (registration === null || !mayHeartbeat(state)) return;
  const waitMs = state.hintsAskedAt + AGENT_LIMITS.confirmCancelMs - context.now;
  if (waitMs > 0) {
    context.after('confirm', waitMs, { type: 'confirm.due' });
    return;
  }
  state.hintsAskedAt = context.now;
  announceHeartbeat(state, registration, context);
}

/** Stops a running attempt that the service has closed, as canceled if there was a hint. */
export function stopClosed(state: RegistrarState, attemptId: AttemptId, context: RegistrarContext): void {
  const hint = state.cancelHints.get(attemptId);
  if (hint === undefined) context.send('poller', 'poller', { type: 'attempt.revoked', attemptId });
  else context.send('poller', 'poller', { type: 'attempt.cancel', attemptId, reason: hint.reason });
}

/** Forgets hints that the reply to a later announcement has not confirmed: they were false. */
export function forgetFalseHints(state: RegistrarState, token: number, closed: readonly AttemptId[]): void {
  for (const [attemptId, { hintedAfter }] of state.cancelHints)
    if (token > hintedAfter && !closed.includes(attemptId)) state.cancelHints.delete(attemptId);
}
