const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Aborts on the first SIGTERM or SIGINT. `again` is called for each further one: without it, the second ends the process with status 1.
 * Takes the place of whatever has listened to these signals before.
 */
export function stopSignal(again: () => void = () => process.exit(1)): AbortSignal {
  const controller = new AbortController();
  for (const signal of STOP_SIGNALS) {
    process.removeAllListeners(signal);
    process.on(signal, () => {
      if (controller.signal.aborted) again();
      else controller.abort();
    });
  }
  return controller.signal;
}

/** Resolves once the signal is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** SIGHUP asks a daemon to look again at what it has found at its start. One that runs in a terminal ends with it, as ever. */
export function onHangUp(lookAgain: () => void): void {
  if (process.stderr.isTTY !== true) process.on('SIGHUP', lookAgain);
}
