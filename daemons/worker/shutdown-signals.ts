import { stopSignal } from '../process/stop-signal.ts';

/** Workers that leave have this long after their drain: tasks that are stopped get their grace, the last reports and logs their time. */
export const SHUTDOWN_GRACE_MS = 30_000;

/** The first signal drains, the second stops the tasks, one more ends the process. */
const SIGNALS_TO_HURRY = 2;

/** Aborts on the first SIGTERM or SIGINT. `hurry` is called on the second; one more ends the process with `exitCode`. */
export function shutdownSignal(hurry: () => void, exitCode: number): AbortSignal {
  let signals = 1;
  return stopSignal(() => {
    if (++signals > SIGNALS_TO_HURRY) process.exit(exitCode);
    hurry();
  });
}
