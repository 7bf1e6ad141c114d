import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';

/** Exit status of the process for each failure of a store: the nearest of sysexits.h. */
export const STORE_EXIT_CODES = {
  'broken-protocol': 70,
  'disk-full': 73,
  'commit-failed': 74,
  'log-lost': 75,
  'log-unreadable': 76,
} as const satisfies Record<StoreFailure['kind'], number>;

const STDERR = 2;
const STDERR_TRIES = 20;
const STDERR_RETRY_MS = 10;
/**
 * Time that the main thread has to exit with the status before the process is killed, in tenths of a second. During a
 * start it may be busy for a second on a slow machine.
 */
const EXIT_GRACE_TENTHS = 50;

/**
 * Ends the process from a thread with an open store (docs/dependency-hazards.md#d3-failed-commits): writes the reason
 * to stderr, requests the main thread to exit with the status of the failure, and does nothing more.
 *
 * The thread itself must not exit: that would clean up a native library during its work (D5). For the same reason
 * `process.exit` in the main thread can hang while another thread is in a transaction: a separate process then kills
 * this one.
 */
export function failStop(failure: StoreFailure, tellMain: (failure: StoreFailure) => void): never {
  writeFinalLog(`ending the process (${failure.kind}): ${failure.detail}`);
  killUnlessGone(process.pid);
  tellMain(failure);
  const never = new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(never, 0, 0, 2 * EXIT_GRACE_TENTHS * 100);
  process.kill(process.pid, 'SIGKILL');
  for (;;) Atomics.wait(never, 0, 0);
}

/** Ends the process from its main thread with this status, even if another thread is in a transaction. */
export function exitNow(status: number): never {
  killUnlessGone(process.pid);
  process.exit(status);
}

/**
 * Writes one line to stderr immediately. A blocked pipe does not keep the process alive: after some tries the line is
 * dropped.
 */
export function writeFinalLog(text: string): void {
  for (let tries = 0; tries < STDERR_TRIES; tries++) {
    try {
      writeSync(STDERR, `callsheet: ${text}\n`);
      return;
    } catch {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STDERR_RETRY_MS);
    }
  }
}

function killUnlessGone(pid: number): void {
  const script = 'i=0; while [ $i -lt "$2" ] && kill -0 "$1"; do sleep 0.1; i=$((i+1)); done; kill -9 "$1"';
  const args = ['-c', script, 'callsheet-fail-stop', String(pid), String(EXIT_GRACE_TENTHS)];
  // If it cannot be started, only the thread's own SIGKILL remains, and there is nowhere to report the error.
  spawn('/bin/sh', args, { detached: true, stdio: 'ignore' })
    .on('error', () => undefined)
    .unref();
}

/**
 * Why a writer ends the process (docs/dependency-hazards.md#d3-failed-commits). `log-lost`: another node of the cluster has
 * taken the log over, so this one starts again as a follower. `log-unreadable`: the node must not serve.
 */
export interface StoreFailure {
  readonly kind: 'commit-failed' | 'disk-full' | 'broken-protocol' | 'log-lost' | 'log-unreadable';
  readonly detail: string;
}
