import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EnvironmentKind } from '../../src/core/ports/store.ts';

/** Where the stores are below `data.dir`. */
export const storeDirectory = (dataDirectory: string, kind: EnvironmentKind): string =>
  join(dataDirectory, kind);

/** In `data.dir` while a restore is under way; what is beside it then belongs to it. */
export const restorePartial = (dataDirectory: string): string => join(dataDirectory, 'restore.partial');

/** In `data.dir` until the first start after a restore has waited for what runs to end. */
export const restoreMarkerPath = (dataDirectory: string): string => join(dataDirectory, 'restored.json');

/** Throws when a restore into the directory was cut off: what is there is no whole store. */
export function assertRestoreComplete(dataDirectory: string): void {
  if (existsSync(restorePartial(dataDirectory)))
    throw new Error(`a restore into ${dataDirectory} was cut off: run callsheet restore again`);
}
