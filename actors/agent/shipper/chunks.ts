import type { OutputStream } from '../../../src/core/ports/task-processes.ts';
import { timestampOf } from '../../../src/core/timestamp.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext } from '../agent-world.ts';
import { splitText } from './split-text.ts';
import type { ShipperState } from './state.ts';

type ShipperContext = AgentContext<'shipper'>;

/** Adds lines to the chunk that is gathering; a full one is sealed. `holds`: see OpenChunk. */
export function gather(
  state: ShipperState,
  stream: OutputStream,
  lines: readonly string[],
  holds: number,
  context: ShipperContext,
): void {
  for (const line of lines) {
    for (const piece of splitText(`${line}\n`, AGENT_LIMITS.logChunkBytes)) {
      const size = Buffer.byteLength(piece);
      const { open } = state;
      if (open !== null && (open.stream !== stream || open.size + size > AGENT_LIMITS.logChunkBytes)) {
        seal(state, context);
      }
      state.open ??= { stream, text: '', size: 0, holds: 0 };
      state.open.text += piece;
      state.open.size += size;
    }
  }
  if (state.open !== null) state.open.holds += holds;
}

/** Makes the gathered lines a message with the next number. */
export function seal(state: ShipperState, context: ShipperContext): void {
  const { open, attemptId, taskId } = state;
  if (open === null) return;
  state.open = null;
  state.lastSequence++;
  const message = {
    v: 1,
    task_id: taskId,
    attempt_id: attemptId,
    seq_num: state.lastSequence,
    stream: open.stream,
    data: open.text,
    at: timestampOf(context.now),
  } as const;
  state.sealed.push({ message, holds: open.holds });
}

/** Hands the next chunks to the bus, unless some are under way or the bus is being spared. */
export function ship(state: ShipperState, context: ShipperContext): void {
  if (state.underWay > 0 || state.sealed.length === 0) return;
  const chunks = state.sealed.slice(0, AGENT_LIMITS.logChunksAtOnce).map(({ message }) => message);
  state.underWay = chunks.length;
  context.effect({ kind: 'ship-logs', attemptId: state.attemptId, chunks });
}
