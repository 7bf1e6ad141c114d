import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';

/** The exit status of the process for each failure of a store: those of sysexits.h that come nearest. */
export const STORE_EXIT_CODES = {
  'broken-protocol': 70,
  'disk-full': 73,
  'commit-failed': 74,
} as const satisfies Record<StoreFailure['kind'], number>;

const STDERR = 2;
const STDERR_TRIES = 20;
const STDERR_RETRY_MS = 10;
/** How long the main thread has to end the process with the exit code before it is killed without, in tenths of a second. */
const EXIT_GRACE_TENTHS = 8;

/**
 * Ends the process from a thread that holds a store (docs/dependency-hazards.md#d3-failed-commits): says why on stderr,
 * asks the main thread to exit with the code of the failure, and does nothing more. The thread itself must not exit:
 * that would clean up a native library in the middle of its work (D5). For the same cause `process.exit` in the main
 * thread can hang, when another thread is inside a transaction: a process of its own then kills this one.
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

/** Ends the process from its main thread with this status, also when another thread is inside a transaction. */
export function exitNow(status: number): never {
  killUnlessGone(process.pid);
  process.exit(status);
}

/** One line on stderr, now. A pipe that takes nothing does not keep the process from ending: after some tries the line is given up. */
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
  // Should it not start, the thread's own SIGKILL is what remains: there is nobody left to tell.
  spawn('/bin/sh', args, { detached: true, stdio: 'ignore' })
    .on('error', () => undefined)
    .unref();
}

/** Why a writer ends the process (docs/dependency-hazards.md#d3-failed-commits). */
export interface StoreFailure {
  readonly kind: 'commit-failed' | 'disk-full' | 'broken-protocol';
  readonly detail: string;
}
