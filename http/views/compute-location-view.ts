import type { ComputeLocationRecord } from '../../src/core/records/compute-location.ts';
import { timestampOf } from '../../src/core/timestamp.ts';
import type { Schemas } from './schemas.ts';

/**
 * docs/contract/resources.md#compute-location. `workerCount`: online workers of all farms that report exactly this
 * name.
 */
export function computeLocationView(
  location: ComputeLocationRecord,
  workerCount: number,
): Schemas['ComputeLocation'] {
  return {
    id: location.id,
    name: location.name,
    description: location.description,
    worker_count: workerCount,
    created_at: timestampOf(location.createdAt),
    updated_at: timestampOf(location.updatedAt),
  };
}
