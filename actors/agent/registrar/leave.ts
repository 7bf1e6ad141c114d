import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentSettings } from '../agent-settings.ts';
import type { AgentContext } from '../agent-system.ts';
import { announceDeparture, announceHeartbeat } from './announce.ts';
import type { RegistrarMessage } from './messages.ts';
import { dropUnstarted, type RegistrarPhase, type RegistrarState } from './state.ts';

type RegistrarContext = AgentContext<'registrar'>;

const LEAVING: ReadonlySet<RegistrarPhase> = new Set([
  'draining',
  'settling',
  'confirming',
  'departing',
  'stopped',
]);

const NO_GRACE_MS = 0;

/**
 * The daemon has been asked to stop: no more work is begun, and what runs may end in its time. Asked again, or without standing with the
 * service, it stops what it has at once; the departure gives that back, and nothing terminal is reported of it.
 */
export const onAgentLeave =
  ({ drainTimeoutMs }: AgentSettings) =>
  (
    state: RegistrarState,
    { atOnce }: Extract<RegistrarMessage, { type: 'agent.leave' }>,
    context: RegistrarContext,
  ): void => {
    if (LEAVING.has(state.phase)) {
      if (atOnce) hurry(state, context);
      return;
    }
    context.log('info', 'leaving', { running: String(state.running.size) });
    const { standing, phase } = state;
    dropUnstarted(state);
    state.phase = 'draining';
    context.send('poller', 'poller', { type: 'poller.leave' });
    if (standing === null || phase !== 'registered') {
      // Without standing there is nobody to say good-bye to.
      state.standing = null;
      context.cancelTimer('announce');
      stopAll(state, AGENT_LIMITS.leaveGraceMs, context);
    } else if (atOnce) {
      stopAll(state, NO_GRACE_MS, context);
    } else {
      announceHeartbeat(state, standing, context);
      context.after('drain', drainTimeoutMs, { type: 'drain.overdue' });
    }
  };

/** The time of the tasks is over: they are stopped, and their environments exited. */
export function onDrainOverdue(state: RegistrarState, _message: unknown, context: RegistrarContext): void {
  if (state.phase !== 'draining') return;
  context.log('warn', 'the tasks of this worker did not end in time; they are stopped and given back', {
    running: String(state.running.size),
  });
  context.send('poller', 'poller', { type: 'attempts.stop', graceMs: AGENT_LIMITS.leaveGraceMs });
  context.after('drain', AGENT_LIMITS.leaveExitsMs, { type: 'exits.overdue' });
}

/** The time of the exits is over as well. */
export function onExitsOverdue(state: RegistrarState, _message: unknown, context: RegistrarContext): void {
  if (state.phase === 'draining') stopAll(state, NO_GRACE_MS, context);
}

export function onSessionsGone(state: RegistrarState, _message: unknown, context: RegistrarContext): void {
  state.areSessionsGone = true;
  if (isStopping(state)) settleToLeave(state, context);
}

/** Stops what a leaving worker still has. */
export function stopAll(state: RegistrarState, graceMs: number, context: RegistrarContext): void {
  context.cancelTimer('drain');
  context.cancelTimer('contact');
  state.phase = 'settling';
  context.send('poller', 'poller', { type: 'attempts.interrupt', graceMs });
  settleToLeave(state, context);
}

function hurry(state: RegistrarState, context: RegistrarContext): void {
  if (isStopping(state)) stopAll(state, NO_GRACE_MS, context);
  else if (state.phase !== 'stopped') left(state, context);
}

/** Whether the worker leaves and something of it may still run. */
export const isStopping = ({ phase }: RegistrarState): boolean =>
  phase === 'draining' || phase === 'settling';

/** Goes on with leaving once the last session is gone: the last reports are to be confirmed before the departure, which gives back everything that is open. */
export function settleToLeave(state: RegistrarState, context: RegistrarContext): void {
  if (state.running.size > 0 || !state.areSessionsGone) return;
  context.cancelTimer('drain');
  context.cancelTimer('contact');
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
  state.phase = 'stopped';
  context.cancelTimer('announce');
  context.effect({ kind: 'stopped' });
}
