import type { AttemptId } from '../../../src/core/ids.ts';
import type { ActorDefinition } from '../../kernel/actor.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext, AgentWorld } from '../agent-world.ts';
import { gather, seal, ship } from './chunks.ts';
import { onLogsStalled, onLogsStored, release, tellDrained } from './on-logs-stored.ts';
import { newShipper, type ShipperState } from './state.ts';

/**
 * The log shipper of one attempt: gathers lines into chunks, numbers them without gaps, and sends them one batch at a time. What is not stored
 * holds the process back; when the bus takes nothing for a while, output is dropped with a mark in its place.
 */
export function shipperActor(): ActorDefinition<AgentWorld, 'shipper', ShipperState> {
  return {
    kind: 'shipper',
    load: () => null,
    absent: (id, message) =>
      'sessionId' in message ? newShipper(id as AttemptId, message.taskId, message.sessionId) : null,
    isOver: (state) => state.isOver,
    handlers: {
      'logs.lines': (state, { batch }, context) => {
        if (state.dropped !== null) {
          state.dropped.lines += batch.lines.length;
          state.dropped.bytes += batch.bytes;
          release(state, batch.bytes, context);
          return;
        }
        const wasEmpty = state.open === null;
        gather(state, batch.stream, batch.lines, batch.bytes, context);
        if (wasEmpty && state.open !== null) {
          context.after('chunk', AGENT_LIMITS.logChunkMs, { type: 'chunk.due' });
        }
        if (state.tries === 0) ship(state, context);
      },
      'logs.drain': drain,
      'logs.finish': (state, _message, context) => {
        state.isFinishing = true;
        drain(state, null, context);
        context.after('give-up', AGENT_LIMITS.logGiveUpMs, { type: 'logs.give-up' });
      },
      'logs.stored': onLogsStored,
      'chunk.due': (state, _message, context) => {
        seal(state, context);
        if (state.tries === 0) ship(state, context);
      },
      'logs.retry': (state, _message, context) => {
        ship(state, context);
      },
      'logs.stalled': onLogsStalled,
      'logs.give-up': (state, _message, context) => {
        state.isOver = true;
        context.log('warn', 'the last lines of a task are given up: the bus does not take them', {
          attempt_id: state.attemptId,
          chunks: String(state.sealed.length),
        });
      },
    },
  };
}

function drain(state: ShipperState, _message: unknown, context: AgentContext<'shipper'>): void {
  state.isDraining = true;
  seal(state, context);
  if (state.tries === 0) ship(state, context);
  tellDrained(state, context);
}
