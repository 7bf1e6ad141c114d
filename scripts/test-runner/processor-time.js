/**
 * Writes the processor time of a test process, and of the processes that it started and that have ended, in seconds, to the file that
 * CALLSHEET_TEST_TIMES names. Loaded with `--import` (run-process.js). Does nothing where there is no /proc.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const TICKS_PER_SECOND = 100;

const file = process.env.CALLSHEET_TEST_TIMES;
// Processes and threads that the test starts must not write it.
delete process.env.CALLSHEET_TEST_TIMES;

if (file !== undefined && isMainThread) {
  process.on('exit', () => {
    try {
      const stat = readFileSync('/proc/self/stat', 'utf8');
      // utime, stime, cutime and cstime, after the command, which may contain spaces and parentheses.
      const ticks = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 15);
      writeFileSync(file, String(ticks.reduce((sum, value) => sum + Number(value), 0) / TICKS_PER_SECOND));
    } catch {
      // The run goes on without this figure.
    }
  });
}
