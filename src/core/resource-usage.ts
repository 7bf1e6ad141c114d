/** Resources that an action of a session has used. A field is absent if the machine does not report it. */
export interface ResourceUsage {
  /** Highest memory of its control group, in MiB, rounded up. */
  readonly maxRssMib?: number;
  /** CPU time of all its processes, in whole milliseconds. */
  readonly cpuMs?: number;
  /** Set if the kernel has ended one of its processes for lack of memory. */
  readonly outOfMemory?: OutOfMemory;
  /** Set if the action was ended because of the disk quota of its session. */
  readonly overQuota?: OverQuota;
}

/** A count of the directory of a session with which its action was ended. */
export interface OverQuota {
  readonly quotaMib: number;
  /** Rounded up. Null: it could not be counted. */
  readonly usedMib: number | null;
  /** Why it could not be counted; empty if it could. */
  readonly reason: string;
}

/** A process that the kernel has ended for lack of memory. */
export interface OutOfMemory {
  /** Null: there was no limit. */
  readonly limitMib: number | null;
  /** Request of the step; null if it requests none. */
  readonly requestedMib: number | null;
  /** Whether the task was at its own limit; otherwise the machine, or a group around the worker, had no memory left. */
  readonly wasOwnLimit: boolean;
}

const OUT_OF_MEMORY = 'out of memory: ';

/** Reports whether the message of a failed attempt begins with the failure text of an out-of-memory kill. */
export const isOutOfMemory = (message: string): boolean => message.startsWith(OUT_OF_MEMORY);

/** Returns the failure text of an out-of-memory kill, or null if there was none. */
export function outOfMemoryText({ outOfMemory, maxRssMib }: ResourceUsage): string | null {
  if (outOfMemory === undefined) return null;
  const { limitMib, requestedMib, wasOwnLimit } = outOfMemory;
  const used = maxRssMib === undefined ? null : `used ${mib(maxRssMib)}`;
  const requested =
    requestedMib === null ? '(it requests no amount.worker.memory)' : `(requested ${mib(requestedMib)})`;
  if (limitMib !== null && wasOwnLimit)
    return `${OUT_OF_MEMORY}the task ${used ?? 'used all'} of its limit of ${mib(limitMib)} ${requested}`;
  return `${OUT_OF_MEMORY}the worker had no memory left while the task ${used ?? 'ran'} ${requested}`;
}

/** Returns the failure text of an excess of the disk quota, or null if there was none. */
export function overQuotaText({ overQuota }: ResourceUsage): string | null {
  if (overQuota === undefined) return null;
  const { quotaMib, usedMib, reason } = overQuota;
  return usedMib === null
    ? `disk quota: the directory of the session, with a quota of ${mib(quotaMib)}, could not be counted: ${reason}`
    : `disk quota exceeded: the directory of the session used ${mib(usedMib)} of its quota of ${mib(quotaMib)}`;
}

const mib = (value: number): string => `${String(value).replace(/\B(?=(\d{3})+$)/g, ',')} MiB`;
