import type { DiagnosticLog } from '../../src/core/diagnostics/diagnostic-log.ts';
import { nanosOfMs } from '../../src/core/diagnostics/nano-time.ts';
import { workerComponent } from '../../src/core/diagnostics/record.ts';
import type { WorkerDiagnostic } from '../threads/log-protocol.ts';

/** Keeps what workers have told of themselves. */
export function recordWorkerDiagnostics(diagnostics: DiagnosticLog, told: readonly WorkerDiagnostic[]): void {
  // A worker whose clock is ahead does not write the future.
  const now = nanosOfMs(Date.now());
  for (const { workerId, at, note } of told) {
    diagnostics.add(workerComponent(workerId), at < now ? at : now, note);
  }
}
