import type { AttemptId, TaskId } from '../../core/ids.ts';
import type { LogChunk, LogChunkRecord } from '../../core/records/log-chunk.ts';

/**
 * Databases of the log environment: chunks by task and `bus_seq`; received chunks by attempt; stored amount by task;
 * positions of lines by attempt.
 */
export const LOG_DATABASES = {
  chunks: 'chunks',
  attempts: 'attempts',
  totals: 'totals',
  lines: 'lines',
} as const;

/** Returns a chunk from its record and its key. The id contains attempt and number. */
export const logChunkOf = (
  taskId: TaskId,
  attemptId: AttemptId,
  busSeq: number,
  record: LogChunkRecord,
): LogChunk => ({
  id: `${attemptId}-${record.seqNum}`,
  taskId,
  attemptId,
  seqNum: record.seqNum,
  busSeq,
  stream: record.stream,
  data: record.data,
  at: record.at,
  receivedAt: record.receivedAt,
});
