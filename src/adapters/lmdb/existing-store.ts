import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DATA_FILE, type Environment, type EnvironmentKind } from './environment.ts';
import { openCheckedEnvironment } from './open-checked.ts';
import { readStoreFormat, StoreOpenError, type StoreFormat } from './store-format.ts';

/** Throws `StoreOpenError` if there is no store. */
export function assertStoreExists(directory: string): void {
  if (!existsSync(join(directory, DATA_FILE))) throw new StoreOpenError(directory, 'there is none');
}

/** Opens an existing store of this program's format. Throws `StoreOpenError`. */
export async function openExistingStore(
  directory: string,
  kind: EnvironmentKind,
): Promise<{ readonly environment: Environment; readonly format: StoreFormat }> {
  assertStoreExists(directory);
  const environment = openCheckedEnvironment(directory, kind);
  try {
    return { environment, format: readStoreFormat(environment, directory, kind) };
  } catch (error) {
    await environment.close();
    throw error;
  }
}
