import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext } from '../agent-world.ts';
import { backoffMs } from '../backoff.ts';
import { gather, seal, ship } from './chunks.ts';
import type { ShipperMessage } from './messages.ts';
import type { ShipperState } from './state.ts';

type ShipperContext = AgentContext<'shipper'>;

/** The bus has some of the chunks, or all: the process may write on; the rest is sent again after a while. */
export function onLogsStored(
  state: ShipperState,
  { stored, failure }: Extract<ShipperMessage, { type: 'logs.stored' }>,
  context: ShipperContext,
): void {
  const gone = state.sealed.splice(0, Math.min(stored, state.underWay));
  state.underWay = 0;
  release(
    state,
    gone.reduce((sum, { holds }) => sum + holds, 0),
    context,
  );
  if (gone.length > 0) {
    state.tries = 0;
    context.cancelTimer('stall');
    tellDropped(state, context);
  }
  if (failure === null) {
    ship(state, context);
    tellDrained(state, context);
    return;
  }
  if (state.tries === 0) {
    context.log('warn', 'the bus does not take logs', { attempt_id: state.attemptId, reason: failure });
    context.after('stall', AGENT_LIMITS.logStallMs, { type: 'logs.stalled' });
  }
  context.after('retry', backoffMs(state.tries, AGENT_LIMITS.logRetry, context.newId()), {
    type: 'logs.retry',
  });
  state.tries++;
}

/** A task is not held up for ever by a bus that takes nothing: from now on output is dropped, and counted. */
export function onLogsStalled(state: ShipperState, _message: unknown, context: ShipperContext): void {
  state.dropped ??= { lines: 0, bytes: 0 };
  let holds = 0;
  for (const chunk of state.sealed) {
    holds += chunk.holds;
    chunk.holds = 0;
  }
  if (state.open !== null) {
    holds += state.open.holds;
    state.open.holds = 0;
  }
  release(state, holds, context);
}

/** Says that every line is on the bus, to a session that waits for it. */
export function tellDrained(state: ShipperState, context: ShipperContext): void {
  if (!state.isDraining || state.sealed.length > 0 || state.open !== null) return;
  state.isDraining = false;
  state.isOver = state.isFinishing;
  const { sessionId, attemptId } = state;
  context.send('session', sessionId, { type: 'logs.drained', attemptId });
}

function tellDropped(state: ShipperState, context: ShipperContext): void {
  const { dropped } = state;
  state.dropped = null;
  if (dropped === null || dropped.lines === 0) return;
  const line = `[callsheet] ${dropped.lines} lines (${dropped.bytes} bytes) of output were dropped here: the bus did not take them`;
  gather(state, 'stderr', [line], 0, context);
  seal(state, context);
}

export function release(state: ShipperState, bytes: number, context: ShipperContext): void {
  if (bytes > 0) context.effect({ kind: 'output-consumed', sessionId: state.sessionId, bytes });
}
