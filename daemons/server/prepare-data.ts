import { fork } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeDirectory } from '../../src/adapters/system/make-directory.ts';
import type { Logger } from '../process/logging.ts';
import { storesToCheck, type CompactedStore } from '../maintenance/compact.ts';
import { assertRestoreComplete, restoreMarkerPath } from '../maintenance/data-directory.ts';

interface DataOptions {
  readonly directory: string;
  /** `data.compact_free_percent`; 0 is never. */
  readonly compactFreePercent: number;
  readonly logger: Logger;
  readonly stopping: AbortSignal;
}

/** Creates `data.dir` and compacts its stores before they are opened. Throws if a restore into it was interrupted. */
export async function prepareData({
  directory,
  compactFreePercent,
  logger,
  stopping,
}: DataOptions): Promise<void> {
  makeDirectory(directory, 0o700);
  assertRestoreComplete(directory);
  if (compactFreePercent === 0 || storesToCheck(directory).length === 0) return;
  const startedAt = performance.now();
  const answer = await compactInChild(directory, compactFreePercent / 100, stopping);
  if (answer === null || stopping.aborted) return;
  const milliseconds = Math.round(performance.now() - startedAt);
  if (!answer.ok) logger.warn({ reason: answer.reason }, 'the stores are not compacted');
  else
    for (const { kind, bytesBefore, bytesAfter } of answer.stores) {
      if (bytesAfter < bytesBefore)
        logger.info({ store: kind, bytesBefore, bytesAfter, milliseconds }, 'the store was compacted');
    }
}

/**
 * Waits, at the first start after a restore, until every worker has stopped the tasks that the restored store does not
 * contain: a worker without contact stops them after two thirds of the heartbeat timeout
 * (docs/architecture.md#the-bus). Otherwise a task that was leased after the backup could run twice at the same time.
 * Call it when the state store is locked. Throws if a restore was started after the check of `prepareData`.
 */
export async function waitAfterRestore(
  directory: string,
  heartbeatTimeoutMs: number,
  logger: Logger,
  stopping: AbortSignal,
): Promise<void> {
  assertRestoreComplete(directory);
  const mark = restoreMarkerPath(directory);
  if (!existsSync(mark)) return;
  logger.warn(
    { milliseconds: heartbeatTimeoutMs },
    'first start after a restore: waiting until workers have stopped the tasks that they ran without the service',
  );
  // After an abort the marker stays, and the next start waits again.
  await delay(heartbeatTimeoutMs, undefined, { signal: stopping }).catch(() => undefined);
  if (!stopping.aborted) rmSync(mark);
}

type ChildAnswer =
  | { readonly ok: true; readonly stores: readonly CompactedStore[] }
  | { readonly ok: false; readonly reason: string };

const CHILD = fileURLToPath(
  new URL(`../maintenance/compact-entry${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
);

/**
 * Compacts the stores in a child process, which may be killed at any moment. Returns null if the service stops
 * meanwhile.
 */
function compactInChild(
  dataDirectory: string,
  freeShareMin: number,
  stopping: AbortSignal,
): Promise<ChildAnswer | null> {
  return new Promise((resolve) => {
    const child = fork(CHILD, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    let answer: ChildAnswer | null = null;
    const kill = (): void => {
      child.kill('SIGKILL');
    };
    stopping.addEventListener('abort', kill, { once: true });
    if (stopping.aborted) kill();
    child.on('message', (message: ChildAnswer) => {
      answer = message;
    });
    child.on('error', (error) => {
      answer = { ok: false, reason: error.message };
    });
    child.on('close', (code, signal) => {
      stopping.removeEventListener('abort', kill);
      if (answer !== null || stopping.aborted) resolve(answer);
      else resolve({ ok: false, reason: `the process ended with ${signal ?? String(code)}` });
    });
    child.send({ dataDirectory, freeShareMin });
  });
}
