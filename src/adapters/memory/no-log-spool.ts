import type { LogSpool } from '../../core/ports/log-spool.ts';

/** Spool of a worker that keeps no logs while the bus is unreachable. */
export const NO_LOG_SPOOL: LogSpool = {
  append: () => Promise.resolve({ kept: 0, failure: 'this worker keeps no logs' }),
  front: () => Promise.resolve([]),
  removeFront: () => Promise.resolve(false),
};
