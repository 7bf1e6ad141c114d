import type { AttemptId, TaskId } from '../../src/core/ids.ts';
import type {
  Assignment,
  LeaseReply,
  LeaseRequest,
  PresenceMessage,
  PresenceReply,
  StatusMessage,
} from '../../src/core/wire/bus-messages.ts';

/** What a worker's daemon keeps on its disk: outlives the daemon and the machine's reboot. */
export interface WorkerDisk {
  workerId: string;
  starts: number;
  /** Terminal reports that the service has not confirmed. */
  readonly outbox: Map<AttemptId, StatusMessage>;
}

/** What a worker offers. */
export interface WorkerSpec {
  readonly name: string;
  readonly farm: string;
  readonly queues: readonly string[];
  readonly cores: number;
  readonly computeLocation: string;
  readonly tags: Readonly<Record<string, string>>;
}

export type ProcessEnd =
  | { readonly kind: 'exited'; readonly exitCode: number }
  /** Ended by a signal of the daemon. */
  | { readonly kind: 'killed' };

/** The machine on which a daemon runs, and its way to the bus. All of it dies with the daemon, but the processes. */
export interface DaemonPorts {
  /** Milliseconds that only rise. */
  now(): number;
  after(delayMs: number, action: () => void): () => void;
  publishPresence(message: PresenceMessage): void;
  publishStatus(message: StatusMessage): void;
  /** An address for the answer to one presence message. */
  inbox(onReply: (reply: PresenceReply) => void): string;
  /** Asks for work; the returned function stops listening for the reply. */
  requestLease(queue: string, request: LeaseRequest, onReply: (reply: LeaseReply) => void): () => void;
  startProcess(assignment: Assignment, onEnd: (end: ProcessEnd) => void): void;
  /** Ends a process; it may take a few seconds to die. */
  killProcess(attemptId: AttemptId): void;
  /** Up to this moment the guards of the processes let them live without hearing from the daemon. */
  tellGuards(deadline: number): void;
  note(what: string, attemptId: AttemptId | TaskId | ''): void;
}

/** What a daemon does for safety's sake: switched off one at a time to prove that the simulation would notice. */
export interface DaemonRules {
  /** Ends its tasks when it was without contact for two thirds of the heartbeat timeout. */
  readonly fencesItself: boolean;
  /** Asks whether a late assignment still stands before it starts the process. */
  readonly asksWhenLate: boolean;
  /** Waits for its processes to be dead before it registers anew after fencing itself. */
  readonly waitsForTheDead: boolean;
}

export const SAFE_RULES: DaemonRules = { fencesItself: true, asksWhenLate: true, waitsForTheDead: true };
