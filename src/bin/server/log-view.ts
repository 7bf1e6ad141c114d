import type { LogReader as ViewedLogs } from '../../../http/ports.ts';
import type { LogStoreReader } from '../../adapters/lmdb/log-reader.ts';
import { parseTaskId } from '../../core/ids.ts';
import { timestampOf } from '../../core/timestamp.ts';

/** Task logs as the front shows them (interface.md, "Log chunk"). */
export const logView = (logs: LogStoreReader): ViewedLogs => ({
  page: (taskId, afterBusSeq, limit) => {
    const task = parseTaskId(taskId);
    if (task === null) return [];
    logs.refresh();
    return logs.page(task, afterBusSeq, limit).map((chunk) => ({
      id: chunk.id,
      task_id: chunk.taskId,
      attempt_id: chunk.attemptId,
      seq_num: chunk.seqNum,
      bus_seq: chunk.busSeq,
      stream: chunk.stream,
      data: chunk.data,
      at: chunk.at,
      received_at: timestampOf(chunk.receivedAt),
    }));
  },
});
