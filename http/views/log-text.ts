import { parseAttemptId, type TaskAddress } from '../../src/core/ids.ts';
import type { LogReader } from '../../src/core/ports/log-store.ts';
import type { LogChunk, LogExtent, LogStream } from '../../src/core/records/log-chunk.ts';

const CHUNKS_AT_ONCE = 1000;
const CHARACTERS_AT_ONCE = 64 * 1024;

/** Selected part of a log. */
export interface LogSelection {
  readonly attempt?: number;
  readonly stream?: LogStream;
}

/**
 * Yields the output of a task in the order of `bus_seq`, up to the extent that was read at the start. Reads one piece
 * at a time to save memory; a piece may be empty. Throws if the log is deleted meanwhile.
 */
export async function* logText(
  logs: Pick<LogReader, 'page'>,
  task: TaskAddress,
  { lastBusSeq }: LogExtent,
  selection: LogSelection,
): AsyncGenerator<string, void, undefined> {
  let cursor = 0;
  while (cursor < lastBusSeq) {
    const chunks = logs.page(task, cursor, CHUNKS_AT_ONCE, CHARACTERS_AT_ONCE);
    const last = chunks.at(-1);
    if (last === undefined) throw new Error('the log was deleted during the download');
    cursor = last.busSeq;
    yield chunks
      .filter((chunk) => chunk.busSeq <= lastBusSeq && isSelected(chunk, selection))
      .map(({ data }) => data)
      .join('');
  }
}

const isSelected = (chunk: LogChunk, { attempt, stream }: LogSelection): boolean =>
  (stream === undefined || chunk.stream === stream) &&
  (attempt === undefined || parseAttemptId(chunk.attemptId)?.attemptNumber === attempt);
