import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext } from '../agent-world.ts';
import { announceDeparture, announceHeartbeat } from './announce.ts';
import { dropDoubted, type RegistrarState } from './state.ts';

type RegistrarContext = AgentContext<'registrar'>;

/**
 * The daemon has been asked to stop: no more work, the tasks are stopped and given back by the departure. Nothing
 * terminal is reported of them.
 */
export function onAgentLeave(state: RegistrarState, _message: unknown, context: RegistrarContext): void {
  if (isLeaving(state)) return;
  context.log('info', 'leaving', { running: String(state.running.size) });
  context.send('poller', 'poller', { type: 'poller.unregistered' });
  context.cancelTimer('contact');
  dropDoubted(state);
  for (const attemptId of state.running) {
    context.send('session', attemptId, { type: 'session.interrupt', graceMs: AGENT_LIMITS.leaveGraceMs });
  }
  if (state.phase !== 'registered') {
    // Without standing there is nobody to say good-bye to.
    state.standing = null;
    context.cancelTimer('announce');
  }
  state.phase = 'settling';
  settleToLeave(state, context);
}

const isLeaving = (state: RegistrarState): boolean =>
  state.phase === 'settling' ||
  state.phase === 'confirming' ||
  state.phase === 'departing' ||
  state.phase === 'left';

/** Goes on with leaving once the last session is over: the last reports are to be confirmed before the departure, which gives back everything that is open. */
export function settleToLeave(state: RegistrarState, context: RegistrarContext): void {
  if (state.running.size > 0) return;
  if (state.standing === null) {
    left(state, context);
    return;
  }
  state.phase = 'confirming';
  context.after('leave', AGENT_LIMITS.leaveConfirmMs, { type: 'leave.overdue' });
  if (state.reported.size > 0) announceHeartbeat(state, state.standing, context);
  leaveWhenConfirmed(state, context);
}

export function leaveWhenConfirmed(state: RegistrarState, context: RegistrarContext): void {
  if (state.reported.size > 0 || state.standing === null) return;
  context.cancelTimer('leave');
  state.phase = 'departing';
  announceDeparture(state, state.standing, context);
}

/** A departure now would give back tasks that have ended: the worker leaves in silence, and its next daemon reports them. */
export function onLeaveOverdue(state: RegistrarState, _message: unknown, context: RegistrarContext): void {
  if (state.phase !== 'confirming') return;
  context.log('warn', 'leaving without a departure: reports are not confirmed yet', {
    reports: String(state.reported.size),
  });
  left(state, context);
}

export function left(state: RegistrarState, context: RegistrarContext): void {
  state.phase = 'left';
  context.cancelTimer('announce');
  context.effect({ kind: 'left' });
}
