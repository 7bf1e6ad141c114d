import type { LogChunk } from '../../src/core/records/log-chunk.ts';
import { timestampOf } from '../../src/core/timestamp.ts';
import type { Schemas } from './schemas.ts';

/** docs/contract/resources.md#log-chunk. */
export function logChunkView(chunk: LogChunk): Schemas['LogChunk'] {
  return {
    id: chunk.id,
    task_id: chunk.taskId,
    attempt_id: chunk.attemptId,
    seq_num: chunk.seqNum,
    bus_seq: chunk.busSeq,
    stream: chunk.stream,
    data: chunk.data,
    at: chunk.at,
    received_at: timestampOf(chunk.receivedAt),
  };
}
