import { workerId } from '../../src/core/ids.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { Schemas } from './schemas.ts';

/** Returns the names of workers, each once, in the order of the ids. Leaves out workers that were deleted. */
export const namedWorkers = (store: StoreReader, ids: Iterable<string>): Schemas['NamedWorker'][] =>
  [...new Set(ids)].flatMap((id) => {
    const worker = store.get('worker', keys.worker(workerId(id)));
    return worker === undefined ? [] : [{ id, name: worker.name }];
  });
