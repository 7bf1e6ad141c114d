import { setFlagsFromString } from 'node:v8';

/**
 * Has V8 make every object among the young ones, in all threads of the process; to be called before they start. By itself V8 learns from a start
 * with thousands of jobs that messages between actors live long, and makes them among the old ones from then on. There they are dead a moment
 * later, but not found to be for seconds, and all that they name is kept with them (docs/performance.md).
 */
export function disablePretenuring(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
