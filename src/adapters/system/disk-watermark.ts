import { statfsSync } from 'node:fs';

/** `low`: nothing new is to be accepted; what runs may still write inside what is reserved. */
export type DiskState = 'ok' | 'low';

export interface DiskWatermarks {
  /** Below this many free bytes the disk is low. */
  readonly lowBytes: number;
  /** From this many free bytes on it is ok again: more than `lowBytes`, so that the state does not flutter. */
  readonly okBytes: number;
}

/** Bytes that an unprivileged process can still write on the file system that holds `path`. Throws when `path` is not there. */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

/** The state that follows from the number of free bytes; between the two marks it stays what it was. */
export function nextDiskState(state: DiskState, free: number, marks: DiskWatermarks): DiskState {
  if (free < marks.lowBytes) return 'low';
  return free >= marks.okBytes ? 'ok' : state;
}
