import { stopSignal, untilAborted } from '../../../../daemons/process/stop-signal.ts';

/**
 * Replaces an earlier listener, as a daemon does at its start, after a signal has arrived in the same turn of the event
 * loop. Prints which listener got the signal; prints nothing if it is lost.
 */
process.on('SIGTERM', () => {
  process.stdout.write('earlier');
  process.exit(0);
});
setImmediate(() => {
  process.kill(process.pid, 'SIGTERM');
  void untilAborted(stopSignal()).then(() => {
    process.stdout.write('stopping');
    process.exit(0);
  });
  // Signals are handled between two of these.
  setImmediate(() => setImmediate(() => process.exit(0)));
});
