import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext } from '../agent-system.ts';
import { markDropped, releaseAll, removeStored } from './chunks.ts';
import { forward, offer, retryLater, spool, notifyIfStored } from './forward.ts';
import type { ShipperMessage } from './messages.ts';
import type { ShipperState } from './state.ts';

type ShipperContext = AgentContext<'shipper'>;

/** Handles a publish to the bus. Stored chunks let the process write more; the others are retried later. */
export const onLogsStored =
  (spools: boolean) =>
  (
    state: ShipperState,
    { stored, failure }: Extract<ShipperMessage, { type: 'logs.stored' }>,
    context: ShipperContext,
  ): void => {
    removeStored(state, Math.min(stored, state.underWay), context);
    state.underWay = 0;
    if (failure === null) state.route = 'bus';
    if (stored > 0) onAccepted(state, context);
    if (failure === null) {
      forward(state, context);
      notifyIfStored(state, context);
      return;
    }
    onBusUnavailable(state, failure, spools, context);
  };

/** Handles a write to the spool. */
export function onLogsSpooled(
  state: ShipperState,
  { kept, failure }: Extract<ShipperMessage, { type: 'logs.spooled' }>,
  context: ShipperContext,
): void {
  removeStored(state, Math.min(kept, state.spooling), context);
  state.spooling = 0;
  if (kept > 0) {
    state.isSpooled = true;
    if (failure === null) onAccepted(state, context);
  }
  if (failure !== null && !state.isSpoolFull) {
    state.isSpoolFull = true;
    context.log('warn', 'cannot write logs to the spool', { attempt_id: state.attemptId, reason: failure });
    context.after('stall', AGENT_LIMITS.logStallMs, { type: 'logs.stalled' });
  }
  forward(state, context);
  notifyIfStored(state, context);
}

/** Handles a publish from the spool. Once the spool is empty, chunks in memory follow. */
export const onLogsUnspooled =
  (spools: boolean) =>
  (
    state: ShipperState,
    { stored, isRest, failure }: Extract<ShipperMessage, { type: 'logs.unspooled' }>,
    context: ShipperContext,
  ): void => {
    state.isUnspooling = false;
    // A write to the spool in progress sets this again.
    state.isSpooled = isRest;
    if (failure !== null) {
      if (stored > 0) state.tries = 0;
      onBusUnavailable(state, failure, spools, context);
      return;
    }
    state.route = 'bus';
    onAccepted(state, context);
    forward(state, context);
    notifyIfStored(state, context);
  };

/** Retries the bus, and a spool that was full. */
export function onLogsRetry(state: ShipperState, _message: unknown, context: ShipperContext): void {
  // If the spool is empty and full writes failed, chunks in memory go to the bus directly.
  const isSpoolOfUse = state.isSpooled || !state.isSpoolFull;
  if (state.route === 'spool' && isSpoolOfUse) spool(state, context);
  if (offer(state, context) || state.underWay > 0 || state.isUnspooling) return;
  if (state.spooling > 0) {
    retryLater(state, context);
    return;
  }
  // Nothing is left to retry.
  state.route = 'bus';
  state.tries = 0;
}

/** Switches to the spool, because the bus has accepted nothing for a while. */
export function onSpillDue(state: ShipperState, _message: unknown, context: ShipperContext): void {
  if (state.tries === 0) return;
  state.route = 'spool';
  forward(state, context);
}

/** Drops and counts output from now on: a task must not wait forever for its logs. */
export function onLogsStalled(state: ShipperState, _message: unknown, context: ShipperContext): void {
  state.dropped ??= { lines: 0, bytes: 0 };
  releaseAll(state, context);
}

/**
 * Discards chunks in memory long after the end of the attempt. Chunks in the spool are sent once the bus is reachable.
 */
export function onLogsGiveUp(state: ShipperState, _message: unknown, context: ShipperContext): void {
  if (state.spooling > 0) {
    context.after('give-up', AGENT_LIMITS.logStallMs, { type: 'logs.give-up' });
    return;
  }
  const chunks = state.sealed.length;
  if (chunks > 0) {
    context.log('warn', 'discarded the last log lines of a task: the bus did not accept them', {
      attempt_id: state.attemptId,
      chunks: String(chunks),
    });
  }
  state.sealed.length = 0;
  state.open = null;
  state.underWay = 0;
  state.isEnded = !state.isSpooled;
}

/** Handles accepted logs: ends backoff, stall and dropping. */
function onAccepted(state: ShipperState, context: ShipperContext): void {
  if (state.route === 'bus') state.tries = 0;
  state.isSpoolFull = false;
  context.cancelTimer('stall');
  markDropped(state, false, context);
}

function onBusUnavailable(
  state: ShipperState,
  reason: string,
  spools: boolean,
  context: ShipperContext,
): void {
  if (state.tries === 0 && state.route === 'bus') {
    context.log('warn', 'cannot publish logs', { attempt_id: state.attemptId, reason });
    if (spools) context.after('divert', AGENT_LIMITS.logDivertMs, { type: 'logs.spill-due' });
    else context.after('stall', AGENT_LIMITS.logStallMs, { type: 'logs.stalled' });
  }
  retryLater(state, context);
  if (state.route === 'spool') spool(state, context);
}
