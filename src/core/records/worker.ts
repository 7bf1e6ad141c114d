import type { AttemptId, FarmId, QueueId, WorkerId } from '../ids.ts';
import type { Holding } from './holding.ts';
import type { ShareReason } from './queue-policy.ts';

export type WorkerStatus = 'online' | 'offline' | 'disabled';

/** Hardware of a worker other than cores and memory, as the API serves it (docs/contract/resources.md#worker). */
export interface WorkerHardware {
  readonly gpuCount: number;
  /** Of the card with the least memory; 0 if unknown. */
  readonly gpuMemoryMib: number;
  readonly gpuModels: readonly string[];
  /** Size of the file system that holds the session directories; 0 when unknown. */
  readonly scratchMib: number;
  /** As a value of `attr.worker.os.version`; empty when unknown. */
  readonly osVersion: string;
  /** Parts of isolation that apply to all its tasks. Absent for a worker that does not report them. */
  readonly isolation?: readonly string[];
  /** Extensions of OpenJD that it runs and an earlier version does not. Absent for a worker of such a version. */
  readonly extensions?: readonly string[];
}

/** The bus whose "no responders" a worker may count as contact, for a limited time since the last reply. */
export interface SingleBus {
  /** Identity of the one server that is the bus. */
  readonly id: string;
  readonly limitMs: number;
}

/**
 * Promise of the service to a worker, in force until the worker uses other terms
 * (docs/decisions/outages.md). Written before the reply with the terms is sent.
 */
export interface WorkerPromise {
  /** Largest time of silence after which its tasks may be reclaimed. */
  readonly reclaimAfterMs: number;
  /** Every bus that the worker may count as its single bus. */
  readonly buses: readonly SingleBus[];
}

/** Who has disabled a worker, why and how. */
export interface WorkerDisabling {
  /** Username. */
  readonly by: string;
  /** Text of the user; may be empty. */
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Whether its tasks were stopped at once, to run elsewhere. Otherwise it finishes them. */
  readonly stopsTasks: boolean;
  /** When the service enables it, in milliseconds since the epoch. Absent: only a user enables it. */
  readonly until?: number;
}

/** A worker (docs/contract/resources.md#worker). Times are milliseconds since the epoch. */
export interface WorkerRecord {
  readonly version: 1;
  readonly id: WorkerId;
  /** Small number of the worker in its farm, from 1, which packed task records contain. */
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
  /** Absent for a worker that registered before the field existed: none. */
  readonly hardware?: WorkerHardware;
  readonly os: string;
  readonly arch: string;
  readonly softwareVersion: string;
  /** Queues that the worker serves; empty means every queue of the farm. */
  readonly queueIds: readonly QueueId[];
  readonly tags: Readonly<Record<string, string>>;
  /**
   * Bytes of memory that it grants one expression. Absent for a worker that registered before the field existed: none.
   */
  readonly exprMemoryBytes?: number;
  /** Amounts that its operator has given it, by name in lower case. Absent: none. */
  readonly customAmounts?: Readonly<Record<string, number>>;
  readonly lastHeartbeatAt: number;
  /** Only while it is disabled. Absent is null, also for a worker that an earlier version has disabled. */
  readonly disabling?: WorkerDisabling | null;
  /** Set if its agent has deregistered since its last message. Absent is false. */
  readonly departed?: boolean;
  /** Set if its agent leaves once its tasks have ended, and takes no others. Absent is false. */
  readonly draining?: boolean;
  readonly registeredAt: number;
  /**
   * Whether it has ever had a task. Absent for a worker that registered before the field existed: unknown, so it is not
   * removed automatically.
   */
  readonly hasLeased?: boolean;
  /** Absent for a worker that registered before the field existed: the heartbeat timeout, and no bus. */
  readonly promise?: WorkerPromise;
}

/** One attempt that holds cores of a worker. Rows of earlier versions also contain `taskId` and `bookedAt`. */
export interface Booking extends Holding {
  readonly attemptId: AttemptId;
  readonly cores: number;
  /** Why it was assigned then. Absent if its farm was not shared. */
  readonly reason?: ShareReason;
}

/** Attempts that were taken back and hold their resources until their processes have ended. */
export interface EndingBookings {
  readonly bookings: readonly Booking[];
}

/** The open attempts of one worker: written in the same commit as the attempts themselves. */
export interface BookingRecord {
  readonly version: 1;
  readonly bookings: readonly Booking[];
  /** Canceled attempts whose processes may still run. Absent is none. */
  readonly exiting?: readonly AttemptId[];
  /** Those of them that hold resources. Absent is none. */
  readonly ending?: EndingBookings;
}

/** Returns all bookings that hold resources of the worker. */
export const heldBookings = ({
  bookings,
  ending,
}: Pick<BookingRecord, 'bookings' | 'ending'>): readonly Booking[] =>
  ending === undefined ? bookings : [...bookings, ...ending.bookings];
