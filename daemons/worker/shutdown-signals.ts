import { stopSignal } from '../process/stop-signal.ts';

/** Time after the drain of a worker: the grace of tasks that are interrupted, and the last reports and logs. */
export const SHUTDOWN_GRACE_MS = 30_000;

/** The first signal drains the worker, the second interrupts its tasks, the third ends the process. */
const SIGNALS_TO_HURRY = 2;

/** The stop signals of a worker. */
export interface ShutdownSignals {
  /** Aborted on the first SIGTERM or SIGINT. */
  readonly stopping: AbortSignal;
  /** Sets the action of the second signal. Until then the second signal ends the process. */
  readonly onHurry: (action: () => void) => void;
}

/** Listens for SIGTERM and SIGINT. `exitCode` is that of a process that a signal ends at once. */
export function shutdownSignals(exitCode: number): ShutdownSignals {
  let signals = 1;
  let hurry: () => void = () => process.exit(exitCode);
  const stopping = stopSignal(() => {
    if (++signals > SIGNALS_TO_HURRY) process.exit(exitCode);
    hurry();
  });
  return {
    stopping,
    onHurry: (action) => {
      hurry = action;
    },
  };
}
