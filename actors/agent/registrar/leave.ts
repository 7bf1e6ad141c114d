import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentSettings } from '../agent-settings.ts';
import type { AgentContext } from '../agent-system.ts';
import { announceDeparture, announceHeartbeat } from './announce.ts';
import type { RegistrarMessage } from './messages.ts';
import { dropUnstarted, type RegistrarPhase, type RegistrarState } from './state.ts';

type RegistrarContext = AgentContext<'registrar'>;

const SHUTDOWN_PHASES: ReadonlySet<RegistrarPhase> = new Set([
  'draining',
  'settling',
  'confirming',
  'departing',
  'stopped',
]);

const NO_GRACE_MS = 0;

/**
 * Handles a request to shut down: starts no more work and lets tasks finish within the drain timeout. On a second
 * request, or without a registration, stops the tasks at once. The departure then gives them back; no terminal report
 * is sent for them.
 */
export const onAgentLeave =
  ({ drainTimeoutMs }: AgentSettings) =>
  (
    state: RegistrarState,
    { atOnce }: Extract<RegistrarMessage, { type: 'agent.leave' }>,
    context: RegistrarContext,
  ): void => {
    if (SHUTDOWN_PHASES.has(state.phase)) {
      if (atOnce) stopNow(state, context);
      return;
    }
    context.log('info', 'shutting down', { running: String(state.running.size) });
    const { registration, phase } = state;
    dropUnstarted(state);
    state.phase = 'draining';
    context.send('poller', 'poller', { type: 'poller.leave' });
    if (registration === null || phase !== 'registered') {
      // Without a registration there is no departure to announce.
      state.registration = null;
      context.cancelTimer('announce');
      stopAll(state, AGENT_LIMITS.leaveGraceMs, context);
    } else if (atOnce) {
      stopAll(state, NO_GRACE_MS, context);
    } else {
      announceHeartbeat(state, registration, context);
      context.after('drain', drainTimeoutMs, { type: 'drain.overdue' });
    }
  };

/** The drain timeout has passed: stops the tasks and exits their environments. */
export function onDrainOverdue(state: RegistrarState, _message: unknown, context: RegistrarContext): void {
  if (state.phase !== 'draining') return;
  context.log('warn', 'tasks did not finish within the drain timeout; stopping and returning them', {
    running: String(state.running.size),
  });
  context.send('poller', 'poller', { type: 'attempts.stop', graceMs: AGENT_LIMITS.leaveGraceMs });
  context.after('drain', AGENT_LIMITS.leaveExitsMs, { type: 'exits.overdue' });
}

/** The time limit of the exits has passed too. */
export function onExitsOverdue(state: RegistrarState, _message: unknown, context: RegistrarContext): void {
  if (state.phase === 'draining') stopAll(state, NO_GRACE_MS, context);
}

export function onSessionsEnded(state: RegistrarState, _message: unknown, context: RegistrarContext): void {
  state.haveSessionsEnded = true;
  if (isStopping(state)) settleToLeave(state, context);
}

/** Stops all remaining tasks at shutdown. */
export function stopAll(state: RegistrarState, graceMs: number, context: RegistrarContext): void {
  context.cancelTimer('drain');
  context.cancelTimer('contact');
  state.phase = 'settling';
  context.send('poller', 'poller', { type: 'attempts.interrupt', graceMs });
  settleToLeave(state, context);
}

function stopNow(state: RegistrarState, context: RegistrarContext): void {
  if (isStopping(state)) stopAll(state, NO_GRACE_MS, context);
  else if (state.phase !== 'stopped') finishShutdown(state, context);
}

/** Reports whether the agent shuts down and tasks or sessions may still run. */
export const isStopping = ({ phase }: RegistrarState): boolean =>
  phase === 'draining' || phase === 'settling';

/**
 * Continues the shutdown once the last session has ended: waits for the confirmation of the last reports, then departs.
 * The departure gives back all open attempts.
 */
export function settleToLeave(state: RegistrarState, context: RegistrarContext): void {
  if (state.running.size > 0 || !state.haveSessionsEnded) return;
  context.cancelTimer('drain');
  context.cancelTimer('contact');
  if (state.registration === null) {
    finishShutdown(state, context);
    return;
  }
  state.phase = 'confirming';
  context.after('leave', AGENT_LIMITS.leaveConfirmMs, { type: 'leave.overdue' });
  if (state.reported.size > 0) announceHeartbeat(state, state.registration, context);
  leaveWhenConfirmed(state, context);
}

export function leaveWhenConfirmed(state: RegistrarState, context: RegistrarContext): void {
  if (state.reported.size > 0 || state.registration === null) return;
  context.cancelTimer('leave');
  state.phase = 'departing';
  announceDeparture(state, state.registration, context);
}

/**
 * Stops without a departure, because it would give back tasks that have ended. The next agent publishes their reports.
 */
export function onLeaveOverdue(state: RegistrarState, _message: unknown, context: RegistrarContext): void {
  if (state.phase !== 'confirming') return;
  context.log('warn', 'shutting down without deregistering: reports are not confirmed yet', {
    reports: String(state.reported.size),
  });
  finishShutdown(state, context);
}

export function finishShutdown(state: RegistrarState, context: RegistrarContext): void {
  state.phase = 'stopped';
  context.cancelTimer('announce');
  context.effect({ kind: 'stopped' });
}
