import { freeBytes, nextDiskState, type DiskState } from '../system/disk-watermark.ts';
import { SERVER_LIMITS } from './limits.ts';

/**
 * Calls `onRoom` when a disk that was full has room again. After a failed write, nats-server stores nothing until it is
 * restarted: a server of a cluster disables JetStream, a single one repeats the error.
 *
 * @param folder - A folder on the disk.
 * @returns A function that ends the watch.
 */
export function watchFullDisk(folder: string, onRoom: () => void): () => void {
  let state: DiskState = 'ok';
  const check = (): void => {
    const before = state;
    state = nextDiskState(state, freeOf(folder), SERVER_LIMITS.disk);
    if (before === 'low' && state === 'ok') onRoom();
  };
  const timer = setInterval(check, SERVER_LIMITS.diskCheckMs).unref();
  return () => clearInterval(timer);
}

/** A folder that cannot be read does not count as full: the server reports that error itself. */
function freeOf(folder: string): number {
  try {
    return freeBytes(folder);
  } catch {
    return Infinity;
  }
}
