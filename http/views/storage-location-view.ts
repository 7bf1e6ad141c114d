import { storageTypeOf, type StorageLocationRecord } from '../../src/core/records/storage-location.ts';
import { timestampOf } from '../../src/core/timestamp.ts';
import type { Schemas } from './schemas.ts';

/** docs/contract/resources.md#storage-location. */
export const storageLocationView = (storage: StorageLocationRecord): Schemas['StorageLocation'] => ({
  id: storage.id,
  name: storage.name,
  description: storage.description,
  // fromEntries defines own properties, so "__proto__" is an ordinary key.
  roots: Object.fromEntries(storage.roots.map(({ place, root }) => [place, root])),
  type: storageTypeOf(storage.roots),
  created_at: timestampOf(storage.createdAt),
  updated_at: timestampOf(storage.updatedAt),
});
