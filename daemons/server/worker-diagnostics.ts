import type { DiagnosticLog } from '../../src/core/diagnostics/diagnostic-log.ts';
import { nanosOfMs } from '../../src/core/diagnostics/nano-time.ts';
import { workerComponent } from '../../src/core/diagnostics/record.ts';
import type { WorkerDiagnostic } from '../threads/log-protocol.ts';

/** Adds diagnostic records of workers to the log. */
export function recordWorkerDiagnostics(
  diagnostics: DiagnosticLog,
  records: readonly WorkerDiagnostic[],
): void {
  // The clock of a worker may be ahead: records get at most the current time.
  const now = nanosOfMs(Date.now());
  for (const { workerId, at, note } of records) {
    diagnostics.add(workerComponent(workerId), at < now ? at : now, note);
  }
}
