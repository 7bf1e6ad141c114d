import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { makeDirectory } from '../../src/adapters/system/make-directory.ts';
import type { Logger } from '../process/logging.ts';
import { storesToCheck, type CompactedStore } from '../maintenance/compact.ts';
import { assertRestoreComplete } from '../maintenance/data-directory.ts';
import { entryUrl } from '../threads/entry-url.ts';

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

type ChildAnswer =
  | { readonly ok: true; readonly stores: readonly CompactedStore[] }
  | { readonly ok: false; readonly reason: string };

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
    const child = fork(fileURLToPath(entryUrl('compact-process')), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
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
