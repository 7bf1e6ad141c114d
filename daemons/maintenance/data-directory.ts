import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EnvironmentKind } from '../../src/core/ports/store.ts';

/** Returns the directory of a store in `data.dir`. */
export const storeDirectory = (dataDirectory: string, kind: EnvironmentKind): string =>
  join(dataDirectory, kind);

/** Returns the path that exists during a restore. Every other file in `data.dir` then belongs to the restore. */
export const restorePartial = (dataDirectory: string): string => join(dataDirectory, 'restore.partial');

/** Returns the path that exists from a restore until the first start has waited for running tasks to end. */
export const restoreMarkerPath = (dataDirectory: string): string => join(dataDirectory, 'restored.json');

/** Throws if a restore into the directory was interrupted: its stores are incomplete. */
export function assertRestoreComplete(dataDirectory: string): void {
  if (existsSync(restorePartial(dataDirectory)))
    throw new Error(`a restore into ${dataDirectory} was interrupted; run callsheet restore again`);
}
