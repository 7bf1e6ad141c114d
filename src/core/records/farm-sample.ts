import type { FarmSample } from '../history/farm-samples.ts';

/** The load of a farm at the end of a minute (docs/decisions/history.md). A day later, its row is overwritten. */
export interface FarmSampleRecord {
  readonly version: 1;
  readonly sample: FarmSample;
}
