import type { OutputBatch, OutputStream } from '../../../src/core/ports/task-processes.ts';
import { timestampOf } from '../../../src/core/timestamp.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext } from '../agent-system.ts';
import { splitText } from './split-text.ts';
import type { ShipperState } from './state.ts';

type ShipperContext = AgentContext<'shipper'>;

/**
 * Appends lines to the open chunk and seals it when it is full. `cut`: indices of lines that continue in the next one.
 * `holds`: see OpenChunk.
 */
export function gather(
  state: ShipperState,
  stream: OutputStream,
  { lines, cut }: Pick<OutputBatch, 'lines' | 'cut'>,
  holds: number,
  context: ShipperContext,
): void {
  const unended = new Set(cut);
  for (const [index, line] of lines.entries()) {
    for (const piece of splitText(unended.has(index) ? line : `${line}\n`, AGENT_LIMITS.logChunkBytes)) {
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

/** Makes the open chunk a message with the next sequence number. */
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

/** Removes the first `count` sealed chunks, which are stored, and lets the process write more. */
export function removeStored(state: ShipperState, count: number, context: ShipperContext): void {
  const stored = state.sealed.splice(0, count);
  release(
    state,
    stored.reduce((sum, { holds }) => sum + holds, 0),
    context,
  );
}

export function release(state: ShipperState, bytes: number, context: ShipperContext): void {
  const { sessionId } = state;
  if (bytes > 0 && sessionId !== null) context.effect({ kind: 'output-consumed', sessionId, bytes });
}

/** Releases all held bytes: the chunks in memory no longer slow the process down. */
export function releaseAll(state: ShipperState, context: ShipperContext): void {
  let holds = 0;
  for (const chunk of [...state.sealed, ...(state.open === null ? [] : [state.open])]) {
    holds += chunk.holds;
    chunk.holds = 0;
  }
  release(state, holds, context);
}

/** Replaces dropped output by a line in the log. `continues`: later output is dropped too. */
export function markDropped(state: ShipperState, continues: boolean, context: ShipperContext): void {
  const { dropped } = state;
  if (dropped === null) return;
  state.dropped = continues ? { lines: 0, bytes: 0 } : null;
  if (dropped.lines === 0) return;
  const line = `[callsheet] ${dropped.lines} lines (${dropped.bytes} bytes) of output were dropped here: the bus did not accept them`;
  gather(state, 'stderr', { lines: [line] }, 0, context);
  seal(state, context);
}
