import type { LogStoreReader } from '../../src/adapters/lmdb/log-reader.ts';
import type { LogReader } from '../../src/core/ports/log-store.ts';

/** Returns a reader of the log store that refreshes before every read. */
export const currentLogs = (logs: LogStoreReader): LogReader => ({
  page: (task, afterBusSeq, limit, enough) => {
    logs.refresh();
    return logs.page(task, afterBusSeq, limit, enough);
  },
  extent: (task) => {
    logs.refresh();
    return logs.extent(task);
  },
  previews: (task) => {
    logs.refresh();
    return logs.previews(task);
  },
  jobPreviews: (job, query) => {
    logs.refresh();
    return logs.jobPreviews(job, query);
  },
  newestPreview: (job) => {
    logs.refresh();
    return logs.newestPreview(job);
  },
  arrival: (task, last) => {
    logs.refresh();
    return logs.arrival(task, last);
  },
  markBefore: (attempt, line) => {
    logs.refresh();
    return logs.markBefore(attempt, line);
  },
});
