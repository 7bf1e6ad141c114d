import type { AttemptId, FarmId, QueueId, WorkerId } from '../ids.ts';

export type WorkerStatus = 'online' | 'offline' | 'disabled';

/** What a worker has beside cores and memory. */
export interface WorkerHardware {
  readonly gpuCount: number;
  /** Of the card with the least; 0 when unknown. */
  readonly gpuMemoryMib: number;
  readonly gpuModels: readonly string[];
  /** Size of the file system that holds the session directories; 0 when unknown. */
  readonly scratchMib: number;
  /** As a value of `attr.worker.os.version`; empty when unknown. */
  readonly osVersion: string;
}

/** A worker (docs/contract/resources.md#worker). Times are milliseconds since the epoch. */
export interface WorkerRecord {
  readonly version: 1;
  readonly id: WorkerId;
  /** Small number of the worker in its farm, from 1: what a task's packed record names. */
  readonly ordinal: number;
  readonly farmId: FarmId;
  readonly name: string;
  readonly hostname: string;
  readonly status: WorkerStatus;
  /** Changes with every start of the worker's daemon. */
  readonly incarnation: string;
  readonly computeLocation: string;
  readonly cpuCount: number;
  readonly memoryMib: number;
  /** Absent in the record of a worker that was registered before it was asked for: none. */
  readonly hardware?: WorkerHardware;
  readonly os: string;
  readonly arch: string;
  readonly softwareVersion: string;
  /** Queues that the worker serves; empty means every queue of the farm. */
  readonly queueIds: readonly QueueId[];
  readonly tags: Readonly<Record<string, string>>;
  /** What it grants one expression. Absent in the record of a worker that was registered before it was asked for: nothing. */
  readonly exprMemoryBytes?: number;
  readonly lastHeartbeatAt: number;
  /** Whether its daemon has said goodbye since it was last heard. Absent is false. */
  readonly departed?: boolean;
  /** Whether its daemon leaves once its tasks have ended, and takes no others. Absent is false. */
  readonly draining?: boolean;
  readonly registeredAt: number;
}

/** One attempt that holds cores of a worker. Rows of earlier versions say `taskId` and `bookedAt` as well. */
export interface Booking {
  readonly attemptId: AttemptId;
  readonly cores: number;
}

/** The open attempts of one worker: written in the same commit as the attempts themselves. */
export interface BookingRecord {
  readonly version: 1;
  readonly bookings: readonly Booking[];
}
