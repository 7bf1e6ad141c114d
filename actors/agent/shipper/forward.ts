import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext } from '../agent-system.ts';
import { backoffMs } from '../backoff.ts';
import type { ShipperState } from './state.ts';

type ShipperContext = AgentContext<'shipper'>;

/** Sends sealed chunks to the bus, or to the spool while the bus is unreachable. */
export function forward(state: ShipperState, context: ShipperContext): void {
  if (state.route === 'spool') {
    if (!state.isSpoolFull) spool(state, context);
  } else if (state.tries === 0) {
    offer(state, context);
  }
}

/** Publishes the next chunks, those of the spool first, unless some are in flight. Returns whether it did. */
export function offer(state: ShipperState, context: ShipperContext): boolean {
  const { attemptId } = state;
  if (state.underWay > 0 || state.isUnspooling) return false;
  if (state.isSpooled) {
    state.isUnspooling = true;
    context.effect({ kind: 'ship-spool', attemptId });
    return true;
  }
  if (state.spooling > 0 || state.sealed.length === 0) return false;
  const chunks = state.sealed.slice(0, AGENT_LIMITS.logChunksAtOnce).map(({ message }) => message);
  state.underWay = chunks.length;
  context.effect({ kind: 'ship-logs', attemptId, chunks });
  return true;
}

/** Writes all sealed chunks to the spool, unless some are in flight. */
export function spool(state: ShipperState, context: ShipperContext): void {
  if (state.underWay > 0 || state.spooling > 0 || state.sealed.length === 0) return;
  const chunks = state.sealed.map(({ message }) => message);
  state.spooling = chunks.length;
  context.effect({ kind: 'spool-logs', attemptId: state.attemptId, chunks, isLast: state.isDraining });
}

/** Schedules the next try of the bus, with a growing delay. */
export function retryLater(state: ShipperState, context: ShipperContext): void {
  const delayMs = backoffMs(state.tries, AGENT_LIMITS.logRetry, context.newId());
  context.after('retry', delayMs, { type: 'logs.retry' });
  state.tries++;
}

/**
 * Notifies a waiting session once all lines so far are stored. Ends the shipper when it is finished and has no lines
 * left.
 */
export function notifyIfStored(state: ShipperState, context: ShipperContext): void {
  if (state.sealed.length > 0 || state.open !== null) return;
  const { sessionId, attemptId } = state;
  const isSafe = !state.isSpooled || state.route === 'spool';
  if (state.isDraining && isSafe) {
    state.isDraining = false;
    if (sessionId !== null) context.send('session', sessionId, { type: 'logs.drained', attemptId });
  }
  state.isEnded = state.isFinishing && !state.isSpooled;
}
