import { setFlagsFromString } from 'node:v8';

/**
 * Disables pretenuring in all threads of the process. Call it before they start. After a start with thousands of jobs,
 * V8 would allocate messages between actors in the old generation. There they become garbage at once, but are collected
 * seconds later, with all that they refer to (docs/performance.md).
 */
export function disablePretenuring(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
