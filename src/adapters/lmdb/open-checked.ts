import { checkDataFile } from './data-file-check.ts';
import { openEnvironment, type Environment } from './environment.ts';
import { StoreOpenError } from './store-format.ts';
import type { EnvironmentKind } from '../../core/ports/store.ts';

/** Opens an environment, or throws a `StoreOpenError` with the reason. */
export function openCheckedEnvironment(directory: string, kind: EnvironmentKind): Environment {
  const fault = checkDataFile(directory);
  if (fault !== null) throw new StoreOpenError(directory, fault);
  try {
    return openEnvironment(directory, kind);
  } catch (error) {
    throw new StoreOpenError(directory, error instanceof Error ? error.message : String(error), {
      cause: error,
    });
  }
}
