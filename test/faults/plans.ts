import { daemonCrashes, reboots } from './deaths.ts';
import type { FaultFarmOptions } from './fault-farm.ts';
import { logFlood } from './flood.ts';
import { partitions, pauses } from './lasting-faults.ts';
import type { RowName, RowResult } from './row.ts';

export interface Extent {
  /** Number of injections of each fault of a row. */
  readonly rounds: number;
  /** Output of each task of a flood. */
  readonly mib: number;
}

export type Row = (extent: Extent) => Promise<RowResult>;

const TASKS = 3_000;

/**
 * The fault matrix (docs/faults.md#the-fault-matrix) with the default heartbeat timeout of a service. Fewer than ten
 * workers: with more, the service would attribute the silence of three to itself and wait.
 */
const FULL_FARM: FaultFarmOptions = {
  workers: 9,
  victims: 3,
  heartbeatTimeoutSeconds: 30,
  shortMs: 4_000,
  longMs: 40_000,
  tasks: TASKS,
};

export const FULL: Readonly<Record<RowName, Row>> = {
  F9: ({ rounds }) => pauses({ farm: FULL_FARM, rounds, seconds: [10, 35, 90] }),
  F10: ({ rounds }) => daemonCrashes({ farm: FULL_FARM, rounds }),
  F11: ({ rounds }) => reboots({ farm: FULL_FARM, rounds }),
  F12: ({ rounds }) => partitions({ farm: FULL_FARM, rounds, seconds: [5, 25, 40, 120] }),
  F16: ({ mib }) => logFlood({ writers: 8, mib, capMib: 64 }),
};

/** The same with short times for CI: workers lose contact and tasks are reassigned within seconds. */
const SHORT_FARM: FaultFarmOptions = {
  workers: 4,
  victims: 1,
  heartbeatTimeoutSeconds: 6,
  shortMs: 1_000,
  longMs: 20_000,
  tasks: TASKS,
};

export const SHORT: Readonly<Record<RowName, Row>> = {
  F9: ({ rounds }) => pauses({ farm: SHORT_FARM, rounds, seconds: [9] }),
  F10: ({ rounds }) => daemonCrashes({ farm: SHORT_FARM, rounds }),
  F11: ({ rounds }) => reboots({ farm: SHORT_FARM, rounds }),
  F12: ({ rounds }) => partitions({ farm: SHORT_FARM, rounds, seconds: [9] }),
  F16: ({ mib }) => logFlood({ writers: 8, mib, capMib: 4 }),
};
