import { statfsSync } from 'node:fs';

/** `low`: no new work is accepted; running work may still write within the reserve. */
export type DiskState = 'ok' | 'low';

export interface DiskWatermarks {
  /** Below this many free bytes the disk is low. */
  readonly lowBytes: number;
  /** At this many free bytes the state becomes ok again: more than `lowBytes`, to avoid flapping. */
  readonly okBytes: number;
}

/**
 * Returns the bytes that an unprivileged process can still write on the file system of `path`. Throws if `path` does
 * not exist.
 */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

/** Returns the state for a number of free bytes; between the two marks it does not change. */
export function nextDiskState(state: DiskState, free: number, marks: DiskWatermarks): DiskState {
  if (free < marks.lowBytes) return 'low';
  return free >= marks.okBytes ? 'ok' : state;
}
