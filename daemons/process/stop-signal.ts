const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Returns a signal that aborts on the first SIGTERM or SIGINT. Each further one calls `onRepeat`; by default the second
 * ends the process with status 1. Removes all earlier listeners of these signals.
 */
export function stopSignal(onRepeat: () => void = () => process.exit(1)): AbortSignal {
  const controller = new AbortController();
  for (const signal of STOP_SIGNALS) {
    const earlier = process.listeners(signal);
    process.on(signal, () => {
      if (controller.signal.aborted) onRepeat();
      else controller.abort();
    });
    // Last: without a listener, Node would drop a signal that has arrived in this turn of the event loop.
    for (const listener of earlier) process.off(signal, listener);
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

/** Calls `onSignal` on SIGHUP. In a terminal, SIGHUP ends the process as usual. */
export function onHangUp(onSignal: () => void): void {
  if (process.stderr.isTTY !== true) process.on('SIGHUP', onSignal);
}
