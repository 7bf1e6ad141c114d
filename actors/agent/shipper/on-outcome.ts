import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext } from '../agent-system.ts';
import { markDropped, releaseAll, settle } from './chunks.ts';
import { forward, offer, retryLater, spool, tellProgress } from './forward.ts';
import type { ShipperMessage } from './messages.ts';
import type { ShipperState } from './state.ts';

type ShipperContext = AgentContext<'shipper'>;

/** The bus has some of the chunks, or all: the process may write on; the rest is sent again after a while. */
export const onLogsStored =
  (spools: boolean) =>
  (
    state: ShipperState,
    { stored, failure }: Extract<ShipperMessage, { type: 'logs.stored' }>,
    context: ShipperContext,
  ): void => {
    settle(state, Math.min(stored, state.underWay), context);
    state.underWay = 0;
    if (failure === null) state.route = 'bus';
    if (stored > 0) isTaken(state, context);
    if (failure === null) {
      forward(state, context);
      tellProgress(state, context);
      return;
    }
    busIsAway(state, failure, spools, context);
  };

/** The spool has some of the chunks, or all of them. */
export function onLogsSpooled(
  state: ShipperState,
  { kept, failure }: Extract<ShipperMessage, { type: 'logs.spooled' }>,
  context: ShipperContext,
): void {
  settle(state, Math.min(kept, state.spooling), context);
  state.spooling = 0;
  if (kept > 0) {
    state.isSpooled = true;
    if (failure === null) isTaken(state, context);
  }
  if (failure !== null && !state.isSpoolFull) {
    state.isSpoolFull = true;
    context.log('warn', 'the spool does not take logs', { attempt_id: state.attemptId, reason: failure });
    context.after('stall', AGENT_LIMITS.logStallMs, { type: 'logs.stalled' });
  }
  forward(state, context);
  tellProgress(state, context);
}

/** The bus has some chunks of the spool. Once it has all of them, those in memory follow. */
export const onLogsUnspooled =
  (spools: boolean) =>
  (
    state: ShipperState,
    { stored, isRest, failure }: Extract<ShipperMessage, { type: 'logs.unspooled' }>,
    context: ShipperContext,
  ): void => {
    state.isUnspooling = false;
    // What is being spooled just now says itself that it is there.
    state.isSpooled = isRest;
    if (failure !== null) {
      if (stored > 0) state.tries = 0;
      busIsAway(state, failure, spools, context);
      return;
    }
    state.route = 'bus';
    isTaken(state, context);
    forward(state, context);
    tellProgress(state, context);
  };

/** Time for the next try: of the bus, and of a spool that was full. */
export function onLogsRetry(state: ShipperState, _message: unknown, context: ShipperContext): void {
  // With nothing in the spool, and no room there, what is in memory goes to the bus itself.
  const isSpoolOfUse = state.isSpooled || !state.isSpoolFull;
  if (state.route === 'spool' && isSpoolOfUse) spool(state, context);
  if (offer(state, context) || state.underWay > 0 || state.isUnspooling) return;
  if (state.spooling > 0) {
    retryLater(state, context);
    return;
  }
  // Nothing is left to try with.
  state.route = 'bus';
  state.tries = 0;
}

/** The bus has taken nothing for a while: the spool is used. */
export function onLogsDiverted(state: ShipperState, _message: unknown, context: ShipperContext): void {
  if (state.tries === 0) return;
  state.route = 'spool';
  forward(state, context);
}

/** A task is not held up for ever by logs that nothing takes: from now on output is dropped, and counted. */
export function onLogsStalled(state: ShipperState, _message: unknown, context: ShipperContext): void {
  state.dropped ??= { lines: 0, bytes: 0 };
  releaseAll(state, context);
}

/** No one has taken what is in memory for long after the end. The spool is sent whenever the bus is back. */
export function onLogsGiveUp(state: ShipperState, _message: unknown, context: ShipperContext): void {
  if (state.spooling > 0) {
    context.after('give-up', AGENT_LIMITS.logStallMs, { type: 'logs.give-up' });
    return;
  }
  const chunks = state.sealed.length;
  if (chunks > 0) {
    context.log('warn', 'the last lines of a task are given up: the bus does not take them', {
      attempt_id: state.attemptId,
      chunks: String(chunks),
    });
  }
  state.sealed.length = 0;
  state.open = null;
  state.underWay = 0;
  state.isOver = !state.isSpooled;
}

/** Something takes logs again. */
function isTaken(state: ShipperState, context: ShipperContext): void {
  if (state.route === 'bus') state.tries = 0;
  state.isSpoolFull = false;
  context.cancelTimer('stall');
  markDropped(state, false, context);
}

function busIsAway(state: ShipperState, reason: string, spools: boolean, context: ShipperContext): void {
  if (state.tries === 0 && state.route === 'bus') {
    context.log('warn', 'the bus does not take logs', { attempt_id: state.attemptId, reason });
    if (spools) context.after('divert', AGENT_LIMITS.logDivertMs, { type: 'logs.spill-due' });
    else context.after('stall', AGENT_LIMITS.logStallMs, { type: 'logs.stalled' });
  }
  retryLater(state, context);
  if (state.route === 'spool') spool(state, context);
}
