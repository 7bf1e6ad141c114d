import type { AttemptId } from '../../../src/core/ids.ts';
import type { ActorDefinition } from '../../kernel/actor.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext, AgentSystem } from '../agent-system.ts';
import { gather, markDropped, release, seal } from './chunks.ts';
import { forward, offer, spool, notifyIfStored } from './forward.ts';
import {
  onSpillDue,
  onLogsGiveUp,
  onLogsRetry,
  onLogsSpooled,
  onLogsStalled,
  onLogsStored,
  onLogsUnspooled,
} from './on-outcome.ts';
import { newShipper, type ShipperState } from './state.ts';

/**
 * The log shipper of one attempt. Gathers lines into chunks, numbers them without gaps and sends one batch at a time.
 * Output that is not stored yet slows the process down. If the bus accepts nothing for a while, chunks go to a spool on
 * the worker's disk, and from there to the bus in order once it is reachable. If the spool is full too, output is
 * dropped and replaced by a mark. `spools`: whether there is a spool.
 */
export function shipperActor(spools: boolean): ActorDefinition<AgentSystem, 'shipper', ShipperState> {
  return {
    kind: 'shipper',
    load: () => null,
    onMissing: (id, message) => {
      if ('sessionId' in message) return newShipper(id as AttemptId, message.taskId, message.sessionId);
      return message.type === 'logs.recovered' ? newShipper(id as AttemptId, message.taskId, null) : null;
    },
    isEvictable: (state) => state.isEnded,
    handlers: {
      'logs.lines': (state, { batch }, context) => {
        if (batch.lines.length === 0) {
          release(state, batch.bytes, context);
          return;
        }
        if (state.dropped !== null) {
          state.dropped.lines += batch.lines.length;
          state.dropped.bytes += batch.bytes;
          release(state, batch.bytes, context);
          return;
        }
        const wasEmpty = state.open === null;
        gather(state, batch.stream, batch, batch.bytes, context);
        if (wasEmpty && state.open !== null) {
          context.after('chunk', AGENT_LIMITS.logChunkMs, { type: 'chunk.due' });
        }
        forward(state, context);
      },
      'logs.drain': drain,
      'logs.finish': (state, _message, context) => {
        state.isFinishing = true;
        drain(state, null, context);
        context.after('give-up', AGENT_LIMITS.logGiveUpMs, { type: 'logs.give-up' });
      },
      'logs.recovered': (state, _message, context) => {
        state.route = 'spool';
        state.isSpooled = true;
        state.isFinishing = true;
        offer(state, context);
      },
      'logs.stored': onLogsStored(spools),
      'logs.spooled': onLogsSpooled,
      'logs.unspooled': onLogsUnspooled(spools),
      'chunk.due': (state, _message, context) => {
        seal(state, context);
        forward(state, context);
      },
      'logs.retry': onLogsRetry,
      'logs.spill-due': onSpillDue,
      'logs.stalled': onLogsStalled,
      'logs.give-up': onLogsGiveUp,
    },
  };
}

function drain(state: ShipperState, _message: unknown, context: AgentContext<'shipper'>): void {
  state.isDraining = true;
  seal(state, context);
  // The log names dropped output before its end.
  markDropped(state, true, context);
  if (state.route === 'spool') spool(state, context);
  else forward(state, context);
  notifyIfStored(state, context);
}
